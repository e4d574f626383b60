#pragma once

#include <tuple>

#include <nlohmann/json.hpp>

#include "flopcast/core/environment_json.hpp"
#include "flopcast/core/statistics_json.hpp"
#include "flopcast/support/fields.hpp"
#include "flopcast/support/json_changes.hpp"
#include "flopcast/tasks/programs/what_if.hpp"

/// Members of what-if results in documents.
namespace flopcast {

template <>
struct FieldTable<BlockChoice> {
  static constexpr auto fields =
      std::tuple(field("shape", &BlockChoice::shape), field("routine", &BlockChoice::routine),
                 field("default_nb", &BlockChoice::default_nb), field("chosen_nb", &BlockChoice::chosen_nb),
                 field("chosen_nx", &BlockChoice::chosen_nx), field("default_seconds", &BlockChoice::default_seconds),
                 field("chosen_seconds", &BlockChoice::chosen_seconds), field("regret", &BlockChoice::regret),
                 field("undecided", &BlockChoice::undecided), field("workspace_allows", &BlockChoice::workspace_allows));
};

/// A result with a failure has no other member than its question and that.
template <>
struct FieldTable<WhatIfResult> {
  static constexpr auto fields =
      std::tuple(field("place", &WhatIfResult::place), field("environment", &WhatIfResult::environment),
                 field("recorded_seconds", &WhatIfResult::recorded), field("models_seconds", &WhatIfResult::by_models),
                 field("predicted_seconds", &WhatIfResult::predicted), field("interval", &WhatIfResult::interval),
                 field("gain", &WhatIfResult::gain), field("extrapolated_share", &WhatIfResult::extrapolated_share),
                 field("slow_by_numbers_seconds", &WhatIfResult::slow_by_numbers), field("shape_seconds", &WhatIfResult::shapes),
                 field("blocks", &WhatIfResult::blocks), field("untuned_shapes", &WhatIfResult::untuned_shapes));
};

}  // namespace flopcast

template <>
struct nlohmann::adl_serializer<flopcast::WhatIfResult> {
  static void to_json(json& json, const flopcast::WhatIfResult& result) {
    json = {{"what_if", to_string(result.question)}};
    if (result.failure.empty()) {
      write_fields(json, result);
    } else {
      json["failure"] = result.failure;
      json["failure_code"] = result.failure_code;
    }
  }
  static void from_json(const json& json, flopcast::WhatIfResult& result) {
    result = {};
    result.question = flopcast::parsed_member(json, "what_if", flopcast::parse_what_if);
    result.failure = flopcast::member_or(json, "failure", "");
    result.failure_code = flopcast::member_or(json, "failure_code", 0);
    if (result.failure.empty()) {
      read_fields(json, result);
    }
  }
};
