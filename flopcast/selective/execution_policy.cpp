#include "flopcast/selective/execution_policy.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace flopcast::selective {
std::string_view to_string(Policy policy) { return EnumNames<Policy>::names.at(static_cast<std::size_t>(policy)).second; }

double relative_half_width(const KernelStatistics& times, StudentQuantiles& quantiles, std::int64_t occurrences) {
  if (times.count < 2 || times.mean <= 0) {
    return std::numeric_limits<double>::infinity();
  }
  const double n = static_cast<double>(times.count);
  const double narrowing = std::sqrt(n * static_cast<double>(std::max<std::int64_t>(occurrences, 1)));
  return quantiles(n - 1) * std::sqrt(times.variance()) / narrowing / times.mean;
}

bool is_predictable(const KernelStatistics& times, const TimePrecision& precision, StudentQuantiles& quantiles, std::int64_t occurrences) {
  return times.count >= precision.min_count && relative_half_width(times, quantiles, occurrences) <= precision.tolerance;
}

}  // namespace flopcast::selective
