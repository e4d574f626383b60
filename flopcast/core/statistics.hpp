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

/// Computes mean and variance online (Welford 1962).
class Welford {
 public:
  void add(double value);
  [[nodiscard]] std::int64_t count() const noexcept { return count_; }
  [[nodiscard]] double mean() const noexcept { return mean_; }
  /// Returns the unbiased sample variance; 0 for fewer than two values.
  [[nodiscard]] double variance() const noexcept;
  /// Returns Student's t interval of the mean; infinite for fewer than two values.
  [[nodiscard]] Interval mean_interval(double confidence = 0.99) const;

 private:
  std::int64_t count_ = 0;
  double mean_ = 0, squares_ = 0;
};

/// Returns the quantile of Student's t distribution with `degrees` > 0 degrees of freedom, probability in (0, 1).
double student_t_quantile(double probability, double degrees);
/// Returns the quantile of the standard normal distribution, probability in (0, 1).
double normal_quantile(double probability);

/// All statistics that a table of repetitions shows.
struct Summary {
  std::int64_t count = 0;
  double minimum = 0, first_quartile = 0, median = 0, third_quartile = 0, maximum = 0, mean = 0, standard_deviation = 0;
  Interval median_interval;  ///< 95 %, distribution-free
  Interval mean_interval;    ///< 99 %, Student's t
};
Summary summarise(std::span<const double> values);

}  // namespace flopcast
