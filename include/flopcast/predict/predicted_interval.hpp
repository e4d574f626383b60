#pragma once

#include "flopcast/core/sample.hpp"
#include "flopcast/core/statistics.hpp"
#include "flopcast/support/units.hpp"

/// The interval of a predicted time: the only place that knows how uncertain a prediction is.
namespace flopcast::prediction {

/// The 95 % quantile of the standard normal distribution.
inline constexpr double z95_one_sided = 1.645;

/// Half the width of a 95 % interval in standard deviations.
inline constexpr double z95_two_sided = 1.96;

/// Relative standard deviation of a predicted total beyond that of its models, between processes: an error that separately timed kernels
/// can't reveal (docs/explanation/prediction.md).
inline constexpr double default_method_error = 0.03;

inline constexpr double default_confidence = 0.95;

/// Returns `seconds` plus and minus `margin`, not below 0.
Interval interval_around(Seconds seconds, Seconds margin);

/// Standard deviations of the independent errors of a predicted total.
struct PredictionError {
  Seconds models = 0;                    ///< error of the kernels' times, as their models state
  RunDeviation runs;                     ///< relative deviation of a single run because of the machine's state
  double method = default_method_error;  ///< relative error beyond these
};

/// Returns the errors of a later run that is expected to take as long as a recorded one. Both runs met a moment and a process of their own.
PredictionError error_of_repetition(const RunDeviation& runs);

/// Returns the interval in which single runs of a predicted total lie. The margin is normal_quantile((1 + confidence) / 2) times the root of
/// the sum of all variances. All commands make their intervals by this formula.
Interval predicted_interval(Seconds seconds, const PredictionError& error, double confidence = default_confidence);

/// Returns half the width of an interval.
Seconds margin(const Interval& interval);

/// Returns the standard deviation that gives an interval of this confidence its width.
Seconds interval_deviation(const Interval& interval, double confidence = default_confidence);

/// Returns the possible error of the difference of two times with these intervals. The larger time is larger with a confidence of 95 % if
/// the difference exceeds the error.
Seconds difference_error(const Interval& a, const Interval& b);

}  // namespace flopcast::prediction

namespace flopcast {

/// Returns the sum of intervals whose errors are the same, such as those of two parts of one program.
Interval operator+(const Interval& a, const Interval& b);
/// Returns the interval of a time that is `factor` >= 0 times as long.
Interval operator*(const Interval& interval, double factor);

}  // namespace flopcast
