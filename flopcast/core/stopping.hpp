#pragma once

#include <cstdint>

#include "flopcast/core/statistics.hpp"
#include "flopcast/support/units.hpp"

/// Conditions for ending a measurement: the four of Tørring et al. 2021, section III-C, one by one and combined.
namespace flopcast {

/// Reason why measuring stopped.
enum class Stop : std::uint8_t { no, time, count, precise, hopeless };

/// Limits of the conditions; defaults are Table I of Tørring et al. 2021. 0 switches a condition off.
struct StopLimits {
  Seconds time = 10;              ///< III-C.1: total of the measured times
  std::int64_t count = 200;       ///< III-C.2
  double confidence = 0.99;       ///< III-C.3 and III-C.4
  double relative_margin = 0.01;  ///< III-C.3: the interval lies within +- this fraction of its centre
  std::int64_t min_count = 2;     ///< III-C.4
  bool normal = false;            ///< use the interval of a normal distribution, as the paper does; too narrow for few values
};

/// III-C.1: returns whether at least `limit` seconds were spent; always false if `limit` is 0.
bool is_out_of_time(Seconds spent, Seconds limit);
/// III-C.2: returns whether there are at least `limit` values; always false if `limit` is 0.
bool is_count_reached(std::int64_t count, std::int64_t limit);
/// III-C.3: returns whether both ends of `interval` lie within `fraction` x centre of `centre`; always false if `fraction` is 0.
bool is_precise(const Interval& interval, double centre, double fraction);
/// III-C.4, Listing 1, for values of which more is better (flops per second): returns whether the upper end of the interval lies below the
/// best value so far.
bool cannot_reach(const Interval& interval, double best);

/// Returns the interval of the mean under the assumption of Tørring et al. 2021: normally distributed values of known variance. Infinite
/// for fewer than two values.
Interval normal_mean_interval(const Welford& values, double confidence);

/// Returns the first of the paper's conditions that holds for `rates` (more is better), whose measurement took `spent` seconds in total.
/// `best` is the mean rate of the best competitor so far, 0 if there is none.
Stop should_stop(const Welford& rates, Seconds spent, double best, const StopLimits& limits);

}  // namespace flopcast
