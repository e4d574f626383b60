#pragma once

/// JSON and schemas of environments, cache levels, library identities, intervals, samples, model keys, placements and traces.
#include <array>
#include <nlohmann/json.hpp>
#include <utility>

#include "flopcast/core/environment.hpp"
#include "flopcast/core/routine.hpp"
#include "flopcast/core/sample.hpp"
#include "flopcast/core/statistics.hpp"
#include "flopcast/core/trace.hpp"
#include "flopcast/support/fields.hpp"
#include "flopcast/support/json.hpp"
#include "flopcast/support/schema.hpp"

namespace flopcast {

template <>
Fields FieldTable<CacheLevel>::fields();
template <>
Fields FieldTable<LibraryIdentity>::fields();
template <>
Fields FieldTable<Environment>::fields();

inline void to_json(nlohmann::json& json, const Interval& interval) { json = {interval.low, interval.high}; }
inline void from_json(const nlohmann::json& json, Interval& interval) {
  std::array<double, 2> ends{};
  read_value(json, ends);
  interval = {ends[0], ends[1]};
}

template <>
Fields FieldTable<OperandState>::fields();
template <>
Fields FieldTable<Repetition>::fields();
template <>
Fields FieldTable<ModelKey>::fields();
template <>
Fields FieldTable<Sample>::fields();

void to_json(nlohmann::json& json, const Placement& placement);
void from_json(const nlohmann::json& json, Placement& placement);
template <>
struct SchemaOf<Placement> {
  static nlohmann::ordered_json make(SchemaMaker& maker) { return array_schema(maker.of<OperandState>()); }
};

/// Returns a call as the JSON array [routine, argument, ...]: flags as strings, integers as numbers, scalars as numbers or [re, im],
/// operands as "name+offset_bytes" within `allocations`, or null when not given.
nlohmann::json to_json(const Call& call, const std::vector<Allocation>& allocations);
Call call_from_json(const nlohmann::json& json, const std::vector<Allocation>& allocations, const RoutineLookup& lookup);
/// Writes the document `{"schema": "flopcast-trace-1", ...}`; from_json throws bad_input that names the problem and its place.
nlohmann::json to_json(const Trace& trace);
Trace trace_from_json(const nlohmann::json& json, const RoutineLookup& lookup);

template <>
struct EnumNames<Precision> {
  static constexpr std::array names{std::pair{Precision::s, "s"}, std::pair{Precision::d, "d"}, std::pair{Precision::c, "c"},
                                    std::pair{Precision::z, "z"}};
};

template <>
struct SchemaOf<Interval> {
  static nlohmann::ordered_json make(SchemaMaker& maker) { return described(maker.of<std::array<double, 2>>(), "lower and upper end"); }
};

/// Returns the schema of a trace's document (core/trace_json.hpp).
nlohmann::ordered_json trace_schema(SchemaMaker& maker);

}  // namespace flopcast
