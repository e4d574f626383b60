#pragma once

#include <cstdint>
#include <span>

namespace flopcast {

/// An interval and its confidence.
struct Interval {
  double low = 0, high = 0;
  friend bool operator==(const Interval&, const Interval&) = default;
};

/// Returns quantile q in [0, 1] by linear interpolation between order statistics (type 7 of Hyndman and Fan); NaN without values.
double quantile(std::span<const double> values, double q);
double median(std::span<const double> values);
/// Returns a distribution-free confidence interval of the median from order statistics (binomial). With too few values for the confidence
/// it is the full range.
Interval median_interval(std::span<const double> values, double confidence = 0.95);

/// Mean and variance in one pass (Welford 1962; merged after Chan, Golub and LeVeque 1979). A plain record.
struct Welford {
  std::int64_t count = 0;
  double mean = 0;
  double squares = 0;  ///< sum of squared deviations from the mean

  void add(double value) noexcept {
    ++count;
    const double deviation = value - mean;
    mean += deviation / static_cast<double>(count);
    squares += deviation * (value - mean);
  }
  void merge(const Welford& other) noexcept;
  /// Returns these statistics without `part`, which was merged into them; empty if nothing else is left.
  [[nodiscard]] Welford without(const Welford& part) const noexcept;
  /// Returns the unbiased sample variance; 0 for fewer than two values.
  [[nodiscard]] double variance() const noexcept { return count > 1 ? squares / static_cast<double>(count - 1) : 0; }
  /// Returns Student's t interval of the mean; infinite for fewer than two values.
  [[nodiscard]] Interval mean_interval(double confidence = 0.99) const;
  friend bool operator==(const Welford&, const Welford&) = default;
};

/// Returns the quantile of Student's t distribution with `degrees` > 0 degrees of freedom, probability in (0, 1).
double student_t_quantile(double probability, double degrees);
/// Returns the quantile of the standard normal distribution, probability in (0, 1).
double normal_quantile(double probability);
/// Returns the probability that a standard normal variable is at most z.
double normal_probability(double z);

/// Mean and standard deviation of a normal variable.
struct Normal {
  double mean = 0, deviation = 0;
};
/// Returns the quantile, probability in (0, 1), of the largest of normal variables of which each two have the correlation 1/2. Differences
/// of equally uncertain values from one of them are so correlated (Dunnett, 1955: A multiple comparison procedure for comparing several
/// treatments with a control). Minus infinity without variables.
double quantile_of_maximum(std::span<const Normal> variables, double probability);

/// All statistics that a table of repetitions shows.
struct Summary {
  std::int64_t count = 0;
  double minimum = 0, first_quartile = 0, median = 0, third_quartile = 0, maximum = 0, mean = 0, standard_deviation = 0;
  Interval median_interval;  ///< 95 %, distribution-free
  Interval mean_interval;    ///< 99 %, Student's t
};
Summary summarise(std::span<const double> values);

}  // namespace flopcast
