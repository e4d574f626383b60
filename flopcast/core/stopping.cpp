#include "flopcast/core/stopping.hpp"

#include <cmath>
#include <limits>

namespace flopcast {

bool is_out_of_time(Seconds spent, Seconds limit) { return limit > 0 && spent >= limit; }

bool is_count_reached(std::int64_t count, std::int64_t limit) { return limit > 0 && count >= limit; }

bool is_precise(const Interval& interval, double centre, double fraction) {
  const double margin = fraction * std::fabs(centre);
  return fraction > 0 && interval.high - centre <= margin && centre - interval.low <= margin;
}

bool cannot_reach(const Interval& interval, double best) { return interval.high < best; }

Interval normal_mean_interval(const Welford& values, double confidence) {
  if (values.count < 2) {
    return {-std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity()};
  }
  const double margin = normal_quantile((1 + confidence) / 2) * std::sqrt(values.variance() / static_cast<double>(values.count));
  return {values.mean - margin, values.mean + margin};
}

Stop should_stop(const Welford& rates, Seconds spent, double best, const StopLimits& limits) {
  if (is_out_of_time(spent, limits.time)) {
    return Stop::time;
  }
  if (is_count_reached(rates.count, limits.count)) {
    return Stop::count;
  }
  if (rates.count < 2) {
    return Stop::no;
  }
  const Interval interval = limits.normal ? normal_mean_interval(rates, limits.confidence) : rates.mean_interval(limits.confidence);
  if (is_precise(interval, rates.mean, limits.relative_margin)) {
    return Stop::precise;
  }
  return rates.count >= limits.min_count && cannot_reach(interval, best) ? Stop::hopeless : Stop::no;
}

}  // namespace flopcast
