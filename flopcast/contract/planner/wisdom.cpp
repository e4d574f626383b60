#include "flopcast/contract/planner/wisdom.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "flopcast/model/artifacts.hpp"
#include "flopcast/model/store.hpp"
#include "flopcast/support/json.hpp"

namespace flopcast::contract {
namespace {

/// Number of the family of candidates. Increase it whenever candidates are added, tried or run differently: the best candidate of one
/// family may not be the best of another.
constexpr int family = 15;

std::string effort_name(const PlanOptions& options, Former former) {
  switch (options.effort) {
    case Effort::estimate: return "estimate";
    case Effort::microbench: return "microbench";
    case Effort::incremental:
      return fmt::format("incremental {}{}", options.max_measured, former == Former::overwritten ? "" : ", added to C");
    case Effort::measure: break;
  }
  return fmt::format("measure {} within {:.6g} s{}", options.max_measured, static_cast<Seconds>(options.time_budget),
                     options.step_budget ? " for all steps" : "");
}

nlohmann::json to_json(const Candidate& candidate) {
  const Tiling& tiling = candidate.tiling;
  return {{"m", tiling.m},
          {"n", tiling.n},
          {"k", tiling.k},
          {"kernel", to_string(tiling.kernel)},
          {"threads", tiling.threads},
          {"pack_a", tiling.pack_a},
          {"pack_b", tiling.pack_b},
          {"rows", to_string(tiling.rows)},
          {"stream_c", tiling.stream_c},
          {"split_k", tiling.split_k},
          {"loops", to_string(tiling.order)},
          {"kept", kept_operands(tiling)},
          {"benchmark", candidate.basis == Basis::benchmark},
          {"seconds", candidate.seconds}};
}

/// Reads a length of a tile, or a number of threads.
std::int64_t positive(const nlohmann::json& json, const char* name) {
  const auto value = member<std::int32_t>(json, name);
  if (value < 1) {
    throw MemberError(name, fmt::format("{} given, expected 1 or more", value));
  }
  return value;
}

/// Reads a candidate; nothing if another version has written it.
std::optional<Candidate> from_json(const nlohmann::json& json) {
  const std::optional<TileKernel> kernel = tile_kernel(member<std::string>(json, "kernel"));
  const std::optional<RowOrder> rows = row_order(member<std::string>(json, "rows"));
  const std::optional<LoopOrder> order = loop_order(member<std::string>(json, "loops"));
  if (!kernel || !rows || !order) {
    return std::nullopt;
  }
  Tiling tiling{
      positive(json, "m"),          positive(json, "n"),         positive(json, "k"), *kernel, static_cast<int>(positive(json, "threads")),
      member<bool>(json, "pack_a"), member<bool>(json, "pack_b")};
  tiling.rows = *rows;
  tiling.stream_c = member<bool>(json, "stream_c");
  tiling.split_k = json.contains("split_k") && member<bool>(json, "split_k");  // families before 15 have none
  tiling.order = *order;
  keep_operands(tiling, member<std::string>(json, "kept"));
  return Candidate{tiling, member<double>(json, "seconds"), member<bool>(json, "benchmark") ? Basis::benchmark : Basis::execution};
}

}  // namespace

std::string wisdom_name(const Contraction& contraction, const Machine& machine, const PlanOptions& options, Former former) {
  return fmt::format("{} threads {} {} {} family {}", folded_key(contraction), options.threads, machine.environment.fingerprint,
                     effort_name(options, former), family);
}

std::optional<WisdomConditions> wisdom_conditions(const std::string& name) {
  static constexpr std::string_view before_threads = " threads ", before_family = " family ";
  const std::size_t threads = name.rfind(before_threads);
  const std::size_t family_at = name.rfind(before_family);
  if (threads == std::string::npos || family_at == std::string::npos || family_at < threads) {
    return std::nullopt;
  }
  std::istringstream words(name.substr(threads + before_threads.size(), family_at - threads - before_threads.size()));
  WisdomConditions conditions;
  conditions.contraction = name.substr(0, threads);
  if (!(words >> conditions.threads >> conditions.fingerprint) || !std::getline(words >> std::ws, conditions.effort)) {
    return std::nullopt;
  }
  conditions.is_current = name.substr(family_at + before_family.size()) == std::to_string(family);
  return conditions;
}

std::string contraction_text(const std::string& folded) {
  static constexpr std::string_view precisions = "sdcz";
  static constexpr std::array names = {"single", "double", "complex single", "complex double"};
  static constexpr std::array<std::string_view, 3> roles = {"mkx", "nkx", "mnx"};  // of A, B and C
  const std::size_t precision = folded.empty() ? std::string_view::npos : precisions.find(folded.front());
  std::array<std::vector<std::pair<std::int64_t, char>>, roles.size()> tensors;  // strides and labels
  std::string extents;
  char role = ' ', label = 'a';
  for (std::size_t at = 1; precision != std::string_view::npos && at < folded.size(); ++at) {
    if (folded[at] != '(') {
      role = folded[at];
      continue;
    }
    std::array<std::int64_t, roles.size()> strides{};
    std::int64_t extent = 0;
    if (std::sscanf(folded.c_str() + at, "(%ld:%ld,%ld,%ld)", &extent, &strides[0], &strides[1], &strides[2]) != 4 || label > 'z') {
      return folded;
    }
    extents += fmt::format("{}{}={}", extents.empty() ? "" : ", ", label, extent);
    for (std::size_t tensor = 0; tensor < roles.size(); ++tensor) {
      if (roles[tensor].find(role) != std::string_view::npos) {
        tensors[tensor].emplace_back(-strides[tensor], label);
      }
    }
    ++label;
    at = std::min(folded.find(')', at), folded.size());
  }
  if (extents.empty()) {
    return folded;
  }
  std::string text;
  for (std::size_t tensor = 0; tensor < roles.size(); ++tensor) {
    std::stable_sort(tensors[tensor].begin(), tensors[tensor].end());
    text += tensor == 0 ? "" : tensor == 1 ? "," : "->";
    for (const auto& [stride, one] : tensors[tensor]) {
      text += one;
    }
  }
  return fmt::format("{} ({}) in {} precision", text, extents, names[precision]);
}

void require_wisdom(const nlohmann::json& document) { static_cast<void>(from_json(document)); }

std::optional<Candidate> find_wisdom(const Contraction& contraction, const Machine& machine, const PlanOptions& options, Former former) {
  if (options.wisdom == nullptr || options.fresh || options.effort == Effort::estimate) {
    return std::nullopt;
  }
  const std::optional<nlohmann::json> found =
      find_artifact(*options.wisdom, model::artifact::contraction_plan, wisdom_name(contraction, machine, options, former));
  if (!found) {
    return std::nullopt;
  }
  try {
    return from_json(*found);
  } catch (const nlohmann::json::exception&) {
    return std::nullopt;  // written by another version: the plan is made anew, and replaces this one
  }
}

void keep_wisdom(const Contraction& contraction, const Machine& machine, const PlanOptions& options, const Candidate& chosen) {
  if (options.wisdom != nullptr) {
    keep_wisdom(*options.wisdom, wisdom_name(contraction, machine, options), machine.environment, chosen);
  }
}

void keep_wisdom(model::Store& store, const std::string& name, const Environment& environment, const Candidate& chosen) {
  if (!store.find_environment(environment.fingerprint)) {
    store.put_environment(environment);  // says later to which machine and library the choice belongs
  }
  put_artifact(store, model::artifact::contraction_plan, name, to_json(chosen));
}

}  // namespace flopcast::contract
