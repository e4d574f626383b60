#pragma once

#include <nlohmann/json.hpp>

#include "flopcast/machine/machine_file.hpp"

/// JSON of measured machines.
namespace flopcast::machine {

/// Converts a measurement to the document {"schema": "flopcast-measured-machine-1", ...}. from_json throws MemberError for
/// another schema and for members that are missing or wrong.
void to_json(nlohmann::json& json, const MachineMeasurement& measurement);
void from_json(const nlohmann::json& json, MachineMeasurement& measurement);

}  // namespace flopcast::machine
