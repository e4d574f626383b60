#include "flopcast/contract/wisdom.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace flopcast::contract {
namespace {

constexpr const char* kind = "contraction-plan";
/// Grows whenever candidates are added or run differently: what was the best of another family may not be the best of this one.
constexpr int family = 2;

std::string effort_name(const PlanOptions& options) {
  return options.effort == Effort::estimate ? "estimate"
                                            : fmt::format("measure {} within {:.6g} s", options.most_measured, options.time_budget);
}

nlohmann::json to_json(const Candidate& candidate) {
  const Blocking& blocking = candidate.blocking;
  return {{"m", blocking.m},
          {"n", blocking.n},
          {"k", blocking.k},
          {"streaming", blocking.streaming},
          {"threads", blocking.threads},
          {"seconds", candidate.seconds}};
}

Candidate from_json(const nlohmann::json& json) {
  return {{json.at("m"), json.at("n"), json.at("k"), json.at("streaming"), json.at("threads")}, json.at("seconds"), Basis::execution};
}

}  // namespace

std::string wisdom_name(const Contraction& contraction, const Machine& machine, const PlanOptions& options) {
  return fmt::format("{} threads {} {} {} family {}", folded_key(contraction), options.threads, machine.environment.fingerprint,
                     effort_name(options), family);
}

std::optional<Candidate> find_wisdom(const Contraction& contraction, const Machine& machine, const PlanOptions& options) {
  if (options.wisdom == nullptr || options.fresh || options.effort == Effort::estimate) {
    return std::nullopt;
  }
  const std::optional<nlohmann::json> found = options.wisdom->find_artifact(kind, wisdom_name(contraction, machine, options));
  if (!found) {
    return std::nullopt;
  }
  try {
    return from_json(*found);
  } catch (const nlohmann::json::exception&) {
    return std::nullopt;  // written by another version: planned anew, and replaced
  }
}

void keep_wisdom(const Contraction& contraction, const Machine& machine, const PlanOptions& options, const Candidate& chosen) {
  if (options.wisdom != nullptr) {
    options.wisdom->put_artifact(kind, wisdom_name(contraction, machine, options), to_json(chosen));
  }
}

}  // namespace flopcast::contract
