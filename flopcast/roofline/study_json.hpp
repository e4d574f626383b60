#pragma once

#include <nlohmann/json.hpp>

#include "flopcast/roofline/study.hpp"
#include "flopcast/support/schema.hpp"

/// JSON of studies, in which they are kept.
namespace flopcast::roofline {

void to_json(nlohmann::json& json, const StudyState& state);
/// Throws MemberError for a member that is missing or wrong.
void from_json(const nlohmann::json& json, StudyState& state);

}  // namespace flopcast::roofline

template <>
struct flopcast::SchemaOf<flopcast::roofline::StudyState> {
  static nlohmann::ordered_json make(SchemaMaker& maker);
};
