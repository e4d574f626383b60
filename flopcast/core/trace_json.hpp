#pragma once

#include <nlohmann/json.hpp>

#include "flopcast/core/trace.hpp"

/// JSON of traces and calls.
namespace flopcast {

/// Returns a call as the JSON array [routine, argument, ...]: flags as strings, integers as numbers, scalars as numbers or [re, im],
/// operands as "name+offset_bytes" within `allocations`, or null when not given.
nlohmann::json to_json(const Call& call, const std::vector<Allocation>& allocations);
Call call_from_json(const nlohmann::json& json, const std::vector<Allocation>& allocations, const RoutineLookup& lookup);
/// Writes the document `{"schema": "flopcast-trace-1", ...}`; from_json throws bad_input that names the problem and its place.
nlohmann::json to_json(const Trace& trace);
Trace trace_from_json(const nlohmann::json& json, const RoutineLookup& lookup);

}  // namespace flopcast
