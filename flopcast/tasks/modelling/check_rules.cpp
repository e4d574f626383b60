#include "flopcast/tasks/modelling/check_rules.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "flopcast/core/statistics.hpp"
#include "flopcast/predict/predicted_interval.hpp"

namespace flopcast {
namespace {

bool contains(const Interval& interval, Seconds seconds) { return interval.low <= seconds && seconds <= interval.high; }

/// Returns the relative standard error of the median of `times`, from the distances to the median.
double error_of_median(std::span<const Seconds> times) {
  static constexpr double normal_distances = 1.4826;  // standard deviation over the median distance of a normal distribution
  static constexpr double median_over_mean = 1.2533;  // the median's standard error over the mean's
  const Seconds centre = median(times);
  std::vector<double> distances;
  for (const Seconds time : times) {
    distances.push_back(std::fabs(time / centre - 1));
  }
  return median_over_mean * normal_distances * median(distances) / std::sqrt(static_cast<double>(times.size()));
}

}  // namespace

double binomial_tail(std::int64_t trials, std::int64_t count, double p) {
  double sum = 0;
  for (std::int64_t k = std::max<std::int64_t>(0, count); k <= trials; ++k) {
    const auto n = static_cast<double>(trials);
    const auto successes = static_cast<double>(k);
    sum += std::exp(std::lgamma(n + 1) - std::lgamma(successes + 1) - std::lgamma(n - successes + 1) + successes * std::log(p) +
                    (n - successes) * std::log1p(-p));
  }
  return std::min(1.0, sum);
}

double standard_score(const model::Estimate& expected, std::span<const Seconds> times, double run_deviation) {
  const double deviation = std::sqrt(std::pow(expected.relative_error, 2) + std::pow(prediction::default_method_error, 2) +
                                     std::pow(run_deviation, 2) + std::pow(error_of_median(times), 2));
  return std::log(median(times) / expected.seconds) / deviation;
}

double suspect_score(std::size_t points) {
  static constexpr double false_alarms = 0.01;
  return normal_quantile(1 - false_alarms / (2 * static_cast<double>(std::max<std::size_t>(1, points))));
}

bool is_refuted(double first_score, double second_score, double limit) {
  return first_score * second_score > 0 && std::min(std::fabs(first_score), std::fabs(second_score)) >= limit;
}

bool is_whole_kernel_refuted(std::int64_t measured, std::int64_t suspects, std::int64_t retested, std::int64_t refuted) {
  static constexpr std::int64_t fewest = 3;
  return refuted >= fewest && 2 * suspects > measured && 2 * refuted > retested;
}

void summarise(KernelCheck& check) {
  static constexpr double most = 0.95;
  std::vector<double> errors, signed_errors;
  check.runs = check.within = 0;
  for (const CheckedPoint& point : check.points) {
    check.runs += static_cast<std::int64_t>(point.wall_times.size());
    check.within +=
        std::count_if(point.wall_times.begin(), point.wall_times.end(), [&](Seconds run) { return contains(point.interval, run); });
    signed_errors.push_back(point.seconds / median(point.wall_times) - 1);
    errors.push_back(std::fabs(signed_errors.back()));
  }
  if (!errors.empty()) {
    check.median_error = median(errors);
    check.high_error = quantile(errors, most);
    check.bias = median(signed_errors);
  }
}

CheckVerdict verdict(const KernelCheck& check) {
  static constexpr std::int64_t fewest = 3;
  static constexpr double significance = 0.01;
  if (check.removed > 0) {
    return CheckVerdict::replaced;
  }
  if (check.suspects > check.retested || check.refuted > 0) {
    return CheckVerdict::doubtful;
  }
  // The runs of a point share the point's error, so that points are the trials.
  const auto points = static_cast<std::int64_t>(check.points.size());
  const auto outside = std::count_if(check.points.begin(), check.points.end(),
                                     [](const CheckedPoint& point) { return !contains(point.interval, median(point.wall_times)); });
  if (points < fewest) {
    return CheckVerdict::too_few;
  }
  return binomial_tail(points, outside, 1 - prediction::default_confidence) < significance ? CheckVerdict::narrow : CheckVerdict::holds;
}

}  // namespace flopcast
