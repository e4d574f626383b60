#include "flopcast/predict/predicted_interval.hpp"

#include <algorithm>
#include <cmath>

namespace flopcast::prediction {
namespace {

double two_sided_quantile(double confidence) { return normal_quantile((1 + confidence) / 2); }

}  // namespace

Interval interval_around(Seconds seconds, Seconds margin) { return {std::max(0.0, seconds - margin), seconds + margin}; }

PredictionError error_of_repetition(const RunDeviation& runs) {
  const double both = std::sqrt(2.0);
  return {.models = 0, .runs = {both * runs.moments, runs.sessions}, .method = both * default_method_error};
}

Interval predicted_interval(Seconds seconds, const PredictionError& error, double confidence) {
  const double relative = std::hypot(error.runs.moments, error.runs.sessions, error.method);
  return interval_around(seconds, two_sided_quantile(confidence) * std::hypot(error.models, relative * seconds));
}

Seconds margin(const Interval& interval) { return (interval.high - interval.low) / 2; }

Seconds interval_deviation(const Interval& interval, double confidence) { return margin(interval) / two_sided_quantile(confidence); }

Seconds difference_error(const Interval& a, const Interval& b) {
  return z95_one_sided * std::hypot(interval_deviation(a), interval_deviation(b));
}

}  // namespace flopcast::prediction

namespace flopcast {

Interval operator+(const Interval& a, const Interval& b) { return {a.low + b.low, a.high + b.high}; }

Interval operator*(const Interval& interval, double factor) { return {interval.low * factor, interval.high * factor}; }

}  // namespace flopcast
