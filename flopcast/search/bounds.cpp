#include "flopcast/search/bounds.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

namespace flopcast::search {
namespace {

double log_choose(std::size_t n, std::size_t k) {
  const auto log_factorial = [](std::size_t i) { return std::lgamma(static_cast<double>(i) + 1); };
  return log_factorial(n) - log_factorial(k) - log_factorial(n - k);
}

/// Probability of `heads` or more in n tosses of a fair coin.
double at_least(std::size_t heads, std::size_t n) {
  double sum = 0;
  for (std::size_t k = heads; k <= n; ++k) {
    sum += std::exp(log_choose(n, k) - static_cast<double>(n) * std::log(2.0));
  }
  return sum;
}

/// Probability that exactly t of n values lie above the second largest of N values of the same distribution (negative hypergeometric).
double beyond_second(std::size_t t, std::size_t n, std::size_t N) {
  return std::exp(log_choose(t + 1, t) + log_choose(n + N - t - 2, n - t) - log_choose(n + N, n));
}

}  // namespace

std::size_t sign_rank(std::size_t n, double alpha) {
  double sum = 0;
  for (std::size_t i = 0; i < n; ++i) {
    sum += std::exp(log_choose(n, i) - static_cast<double>(n) * std::log(2.0));
    if (sum > alpha) {
      return i;
    }
  }
  return n;
}

std::size_t calibrated_rank(std::size_t n, std::size_t twins, double alpha) {
  if (twins < 2) {
    return 0;
  }
  for (std::size_t i = 1; i <= n; ++i) {
    const std::size_t beyond = n - i + 1;  // so many values are at or above the i-th smallest
    double probability = 0;
    for (std::size_t t = beyond; t <= n; ++t) {
      probability += beyond_second(t, n, twins) * at_least(beyond, t);
    }
    if (probability > alpha) {
      return i - 1;
    }
  }
  return n;
}

double median_lower_bound(std::vector<double> differences, std::span<const double> twins, double alpha) {
  std::sort(differences.begin(), differences.end());
  const double share = twins.empty() ? alpha : alpha / 2;
  double bound = -std::numeric_limits<double>::infinity();
  if (const std::size_t rank = sign_rank(differences.size(), share); rank > 0) {
    bound = differences[rank - 1];
  }
  if (const std::size_t rank = calibrated_rank(differences.size(), twins.size(), share); rank > 0) {
    std::vector<double> margins(twins.size());
    std::transform(twins.begin(), twins.end(), margins.begin(), [](double twin) { return std::abs(twin); });
    std::nth_element(margins.begin(), margins.begin() + 1, margins.end(), std::greater<>());
    bound = std::max(bound, differences[rank - 1] - margins[1]);
  }
  return bound;
}

Interval sign_interval(const std::vector<double>& values, double alpha) {
  std::vector<double> mirrored(values.size());
  std::transform(values.begin(), values.end(), mirrored.begin(), std::negate<>());
  return {median_lower_bound(values, {}, alpha / 2), -median_lower_bound(std::move(mirrored), {}, alpha / 2)};
}

}  // namespace flopcast::search
