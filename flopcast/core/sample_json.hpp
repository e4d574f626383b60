#pragma once

#include <nlohmann/json.hpp>

#include "flopcast/core/placement.hpp"
#include "flopcast/core/sample.hpp"
#include "flopcast/support/fields.hpp"

/// JSON of samples, model keys and placements.
namespace flopcast {

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

}  // namespace flopcast
