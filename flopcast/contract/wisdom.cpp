#include "flopcast/contract/wisdom.hpp"

#include <fmt/format.h>

#include <optional>
#include <string>

#include <nlohmann/json.hpp>

namespace flopcast::contract {
namespace {

constexpr const char* kind = "contraction-plan";
/// Grows whenever candidates are added, tried or run differently: what was the best of another family may not be the best of this one.
constexpr int family = 14;

std::string effort_name(const PlanOptions& options) {
  switch (options.effort) {
    case Effort::estimate: return "estimate";
    case Effort::microbench: return "microbench";
    case Effort::measure: break;
  }
  return fmt::format("measure {} within {:.6g} s", options.most_measured, options.time_budget);
}

nlohmann::json to_json(const Candidate& candidate) {
  const Blocking& blocking = candidate.blocking;
  return {{"m", blocking.m},
          {"n", blocking.n},
          {"k", blocking.k},
          {"kernel", name_of(blocking.kernel)},
          {"threads", blocking.threads},
          {"pack_a", blocking.pack_a},
          {"pack_b", blocking.pack_b},
          {"rows", name_of(blocking.rows)},
          {"stream_c", blocking.stream_c},
          {"loops", name_of(blocking.order)},
          {"kept", kept_operands(blocking)},
          {"benchmark", candidate.basis == Basis::benchmark},
          {"seconds", candidate.seconds}};
}

/// Nothing if another version has written it.
std::optional<Candidate> from_json(const nlohmann::json& json) {
  const std::optional<TileKernel> kernel = tile_kernel(json.at("kernel").get<std::string>());
  const std::optional<RowOrder> rows = row_order(json.at("rows").get<std::string>());
  const std::optional<LoopOrder> order = loop_order(json.at("loops").get<std::string>());
  if (!kernel || !rows || !order) {
    return std::nullopt;
  }
  Blocking blocking{json.at("m"), json.at("n"), json.at("k"), *kernel, json.at("threads"), json.at("pack_a"), json.at("pack_b")};
  blocking.rows = *rows;
  blocking.stream_c = json.at("stream_c");
  blocking.order = *order;
  keep_operands(blocking, json.at("kept").get<std::string>());
  return Candidate{blocking, json.at("seconds"), json.at("benchmark") ? Basis::benchmark : Basis::execution};
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
