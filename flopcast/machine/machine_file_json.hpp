#pragma once

#include <nlohmann/json.hpp>

#include "flopcast/machine/machine_file.hpp"
#include "flopcast/support/schema.hpp"

/// JSON of measured machines.
namespace flopcast {

namespace machine {

/// Converts a measurement to the document {"schema": "flopcast-measured-machine-1", ...}. from_json throws MemberError for
/// another schema and for members that are missing or wrong.
void to_json(nlohmann::json& json, const MachineMeasurement& measurement);
void from_json(const nlohmann::json& json, MachineMeasurement& measurement);

}  // namespace machine

template <>
struct SchemaOf<machine::MachineMeasurement> {
  static nlohmann::ordered_json make(SchemaMaker& maker);
};

}  // namespace flopcast
