#pragma once

#include <nlohmann/json.hpp>

#include "flopcast/core/core_schemas.hpp"
#include "flopcast/core/environment_json.hpp"
#include "flopcast/core/statistics_json.hpp"
#include "flopcast/support/fields.hpp"
#include "flopcast/tasks/programs/what_if.hpp"

/// Members of what-if results in documents.
namespace flopcast {

template <>
inline Fields FieldTable<BlockChoice>::fields() {
  return {field<&T::shape>("index into the profile's shapes"),
          field<&T::routine>("routine that queries ilaenv: the shape's own or, as dgetrf in dgesv, one below it"),
          field<&T::default_nb>("LAPACK's own block size"),
          field<&T::chosen_nb>("the best block size"),
          field<&T::chosen_nx>("crossover point of the best block size"),
          field<&T::default_seconds>("predicted time of the routine in the shape's longest call with the default block size"),
          field<&T::chosen_seconds>("predicted time of the same call with the chosen block size"),
          field<&T::regret>("greatest possible loss, as a fraction of the best time"),
          field<&T::undecided>("the measurements show no best one, so that the default is kept"),
          field<&T::workspace_allows>("largest block size that fits into the program's workspace; 0: any")};
}

/// A result with a failure has no other member than its question and that.
template <>
inline Fields FieldTable<WhatIfResult>::fields() {
  return {field<&T::place>("libraries, kernels and threads of the answer, such as \"blis 0.9.0 with 2 threads, LAPACK reference 3.11.0\""),
          field<&T::environment>("environment of the prediction"),
          field<&T::recorded>("recorded time of the calls that are predicted").named("recorded_seconds"),
          field<&T::by_models>("time that the models alone expect").named("models_seconds"),
          field<&T::predicted>("recorded time with the change that the models expect").named("predicted_seconds"),
          field<&T::interval>(),
          field<&T::gain>("recorded / predicted - 1, so that larger is better; missing for dry runs, which have no times"),
          field<&T::extrapolated_share>("share of the time outside of the sampled domain"),
          field<&T::slow_by_numbers>("recorded time of calls that NaN or denormal numbers made slow; these calls stay as recorded")
              .named("slow_by_numbers_seconds"),
          field<&T::shapes>("predicted time per shape of the profile; null where calls can't be predicted").named("shape_seconds"),
          field<&T::blocks>("chosen block sizes if the question asks for them"),
          field<&T::untuned_shapes>("shapes whose block sizes are not tuned because they take too little time")};
}

/// The members of a prediction are missing from a result with a failure.
template <>
struct SchemaOf<WhatIfResult> {
  static nlohmann::ordered_json make(SchemaMaker& maker) {
    nlohmann::ordered_json result = maker.object<WhatIfResult>();
    result["required"] = {"what_if"};
    add_member(result, "what_if", described(maker.of<std::string>(), "the change, such as \"blas=blis,threads=2,nb\""), false);
    add_member(result, "failure", described(maker.of<std::string>(), "reason why nothing is predicted"), false);
    add_member(result, "failure_code", described(maker.of<int>(), "exit code of the failure"), false);
    return result;
  }
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
    result.question = flopcast::parsed_text(json, "what_if", flopcast::parse_what_if);
    result.failure = flopcast::member_or(json, "failure", "");
    result.failure_code = flopcast::member_or(json, "failure_code", 0);
    if (result.failure.empty()) {
      read_fields(json, result);
    }
  }
};
