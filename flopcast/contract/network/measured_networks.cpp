#include "flopcast/contract/network/measured_networks.hpp"

#include <algorithm>

#include "flopcast/core/statistics.hpp"
#include "flopcast/machine/cpu/clock.hpp"
#include "flopcast/measure/memory.hpp"

namespace flopcast::contract {
namespace {

bool has_room(const std::vector<ContractionTree>& trees) {
  constexpr double share = 0.5;
  double bytes = 0;
  for (const ContractionTree& tree : trees) {
    bytes += static_cast<double>(tree.workspace_bytes);
  }
  return bytes <= share * static_cast<double>(measure::available_memory_bytes());
}

/// Executes the plans in turns. Returns their times; those of the first turn don't count, because it touches memory for the first time.
std::vector<std::vector<Seconds>> times_of(const std::vector<NetworkPlan>& plans, const EinsumTensors& tensors,
                                           const PlanOptions& options) {
  constexpr int max_turns = 15;
  const machine::WallClock clock;
  std::vector<std::vector<Seconds>> times(plans.size());
  const std::int64_t begin = clock.ticks();
  for (int turn = 0; turn <= max_turns; ++turn) {
    for (std::size_t i = 0; i < plans.size(); ++i) {
      const std::int64_t before = clock.ticks();
      if (options.cancelled() || clock.seconds(before - begin) > options.time_budget) {
        return times;
      }
      plans[i].execute(tensors.operands(), tensors.result());
      if (turn > 0) {
        times[i].push_back(clock.seconds(clock.ticks() - before));
      }
    }
  }
  return times;
}

}  // namespace

std::pair<NetworkPlan, std::optional<Seconds>> fastest_of(std::vector<ContractionTree> trees, const PrepareStep& prepare,
                                                          const EinsumTensors& tensors, const PlanOptions& options) {
  if (!has_room(trees)) {
    return {NetworkPlan(std::move(trees.front()), prepare), std::nullopt};
  }
  std::vector<NetworkPlan> plans;
  for (ContractionTree& tree : trees) {
    plans.emplace_back(std::move(tree), prepare);
  }
  const std::vector<std::vector<Seconds>> times = times_of(plans, tensors, options);
  const auto was_measured = [](const std::vector<Seconds>& some) { return !some.empty(); };
  if (!std::all_of(times.begin(), times.end(), was_measured)) {
    return {std::move(plans.front()), std::nullopt};
  }
  const auto fastest = std::min_element(times.begin(), times.end(), [](const auto& x, const auto& y) { return median(x) < median(y); });
  return {std::move(plans[static_cast<std::size_t>(fastest - times.begin())]), median(*fastest)};
}

}  // namespace flopcast::contract
