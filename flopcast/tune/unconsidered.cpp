#include "flopcast/tune/unconsidered.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>

namespace flopcast::tuning {
namespace {

/// Relative deviations of times an octave apart that are typical of LAPACK's routines (docs/explanation/tuning.md): of the difference between two block
/// sizes, and of one block size from the line through its neighbours.
constexpr double prior_slope = 0.2, prior_bend = 0.05;

/// A point on the line between two known times.
struct Between {
  double log_seconds = 0;
  double bridge = 0;  ///< variance of a Brownian bridge of unit variance per octave
};

Between between(const KnownTime& low, const KnownTime& high, double octave) {
  const double span = high.octave - low.octave;
  const double part = (octave - low.octave) / span;
  return {(1 - part) * std::log(low.seconds) + part * std::log(high.seconds), part * (1 - part) * span};
}

/// Returns the variance per octave of differences between neighbours.
double slope_variance(std::span<const KnownTime> known) {
  double sum = prior_slope * prior_slope;
  for (std::size_t i = 1; i < known.size(); ++i) {
    const double difference = std::log(known[i].seconds / known[i - 1].seconds);
    sum += difference * difference / (known[i].octave - known[i - 1].octave);
  }
  return sum / static_cast<double>(known.size());
}

/// Returns the variance per octave of deviations from the lines through neighbours.
double bend_variance(std::span<const KnownTime> known) {
  double sum = prior_bend * prior_bend;
  for (std::size_t i = 2; i < known.size(); ++i) {
    const Between expected = between(known[i - 2], known[i], known[i - 1].octave);
    const double difference = std::log(known[i - 1].seconds) - expected.log_seconds;
    sum += difference * difference / expected.bridge;
  }
  return sum / static_cast<double>(std::max<std::size_t>(1, known.size() - 1));
}

}  // namespace

GuessedTime guess_time(std::span<const KnownTime> known, double octave) {
  const auto high =
      std::lower_bound(known.begin(), known.end(), octave, [](const KnownTime& one, double value) { return one.octave < value; });
  if (high != known.end() && high->octave == octave) {
    return {high->seconds, 0};
  }
  if (high == known.begin() || high == known.end()) {
    const KnownTime& nearest = high == known.end() ? known.back() : known.front();
    return {nearest.seconds, std::sqrt(slope_variance(known) * std::fabs(octave - nearest.octave))};
  }
  const Between expected = between(*std::prev(high), *high, octave);
  return {std::exp(expected.log_seconds), std::sqrt(bend_variance(known) * expected.bridge)};
}

}  // namespace flopcast::tuning
