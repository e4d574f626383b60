#include "flopcast/model/baseline.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace flopcast::model {
namespace {

/// Returns the time per byte at a continuous level, interpolated between neighbouring levels.
double seconds_per_byte(double level, const Baseline& baseline) {
  const auto last = static_cast<double>(baseline.bandwidths.size() - 1);
  const double at = std::clamp(level, 0.0, last);
  const auto inner = static_cast<std::size_t>(at);
  const std::size_t outer = std::min(inner + 1, baseline.bandwidths.size() - 1);
  const double share = at - static_cast<double>(inner);
  return (1 - share) / baseline.bandwidths[inner] + share / baseline.bandwidths[outer];
}

}  // namespace

bool returns_at_once(const Call& call) {
  const Operands all = operands(call);
  return std::none_of(all.begin(), all.end(),
                      [](const Operand& operand) { return operand.access != Access::read && operand.bytes() > 0; }) &&
         call.routine->returns == Returns::nothing;
}

Baseline Baseline::of(const Environment& environment) {
  Baseline baseline;
  if (environment.peak_flops > 0) {
    baseline.flops_rate = environment.peak_flops * environment.threads;
  }
  for (const CacheLevel& level : environment.caches) {
    baseline.bandwidths.push_back(level.bandwidth > 0 ? level.bandwidth : 1e11);
    baseline.capacities.push_back(level.capacity_bytes);
  }
  baseline.bandwidths.push_back(environment.memory_bandwidth > 0 ? environment.memory_bandwidth : 1e10);
  return baseline;
}

double continuous_level(const OperandState& state, std::span<const std::int64_t> capacities) {
  if (state.distance_bytes < 0) {
    return state.level;
  }
  // From half a capacity to twice a capacity, the operand moves from one level to the next.
  double level = 0;
  const double distance = std::log2(static_cast<double>(std::max<std::int64_t>(state.distance_bytes, 1)));
  for (const std::int64_t capacity : capacities) {
    const double half = std::log2(static_cast<double>(capacity)) - 1;
    level += std::clamp((distance - half) / 2, 0.0, 1.0);
  }
  return level;
}

Seconds baseline_time(const Call& call, const Placement& placement, const Baseline& baseline) {
  const double rate = baseline.flops_rate * (real_bytes(call.routine->precision) == 4 ? 2 : 1);
  Seconds seconds = baseline.overhead + flops(call) / rate;
  const Operands all = operands(call);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const double level = i < placement.size() ? continuous_level(placement[i], baseline.capacities) : 0;
    const double traffic = all[i].access == Access::update ? 2 : 1;
    seconds += traffic * static_cast<double>(all[i].bytes()) * seconds_per_byte(level, baseline);
  }
  return seconds;
}

}  // namespace flopcast::model
