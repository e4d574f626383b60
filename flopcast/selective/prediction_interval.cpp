#include "flopcast/selective/prediction_interval.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace flopcast::selective {

double variance_along(double along, const KernelStatistics& times) noexcept {
  return times.count > 0 ? along * (along / static_cast<double>(times.count) + 1) * times.variance() : 0;
}

double between_run_deviation(std::span<const RunTimeRatio> executions) noexcept {
  constexpr double of_normal = 1.4826;  // standard deviation over the median of magnitudes
  std::vector<std::pair<double, Seconds>> apart;
  Seconds all = 0;
  for (const RunTimeRatio& each : executions) {
    if (each.taken > 0 && each.expected > 0) {
      apart.emplace_back(std::abs(std::log(each.taken / each.expected)), each.taken);
      all += each.taken;
    }
  }
  std::sort(apart.begin(), apart.end());
  Seconds so_far = 0;
  for (const auto& [logarithm, taken] : apart) {
    so_far += taken;
    if (2 * so_far >= all) {
      return of_normal * logarithm;
    }
  }
  return 0;
}

}  // namespace flopcast::selective
