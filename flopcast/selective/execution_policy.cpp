#include "flopcast/selective/execution_policy.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "flopcast/support/error.hpp"

namespace flopcast::selective {
namespace {

constexpr std::array<std::pair<Policy, std::string_view>, 8> names = {{{Policy::full, "full"},
                                                                       {Policy::conditional, "conditional"},
                                                                       {Policy::local, "local"},
                                                                       {Policy::online, "online"},
                                                                       {Policy::a_priori, "a-priori"},
                                                                       {Policy::eager, "eager"},
                                                                       {Policy::random, "random"},
                                                                       {Policy::rehearsal, "rehearsal"}}};

}  // namespace

std::string_view to_string(Policy policy) {
  for (const auto& [value, name] : names) {
    if (value == policy) {
      return name;
    }
  }
  throw internal_error("unknown policy {}", static_cast<int>(policy));
}

Policy policy_named(std::string_view name) {
  std::vector<std::string_view> known;
  for (const auto& [value, text] : names) {
    if (text == name) {
      return value;
    }
    known.push_back(text);
  }
  throw bad_input("'{}' is no policy of execution; there are {}", name, fmt::join(known, ", "));
}

double relative_half_width(const KernelStatistics& times, StudentQuantiles& quantiles, std::int64_t occurrences) {
  if (times.count < 2 || times.mean <= 0) {
    return std::numeric_limits<double>::infinity();
  }
  const double n = static_cast<double>(times.count);
  const double narrowing = std::sqrt(n * static_cast<double>(std::max<std::int64_t>(occurrences, 1)));
  return quantiles(n - 1) * std::sqrt(times.variance()) / narrowing / times.mean;
}

bool is_predictable(const KernelStatistics& times, const Precision& precision, StudentQuantiles& quantiles, std::int64_t occurrences) {
  return times.count >= precision.min_count && relative_half_width(times, quantiles, occurrences) <= precision.tolerance;
}

}  // namespace flopcast::selective
