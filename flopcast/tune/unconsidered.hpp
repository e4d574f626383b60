#pragma once

#include <span>

#include "flopcast/support/units.hpp"

namespace flopcast::tuning {

/// Predicted time of a block size that was considered.
struct KnownTime {
  double octave = 0;  ///< logarithm of the block size to the base 2
  Seconds seconds = 0;
};

/// Distribution of the time of a block size that wasn't considered.
struct GuessedTime {
  Seconds seconds = 0;
  double deviation = 0;  ///< relative standard deviation
};

/// Guesses the time of a block size from those of others, which are sorted by `octave`, each of another one. Between two of them the
/// logarithm of the time is interpolated, with the deviation of a Brownian bridge; beyond all of them the nearest time is taken, with the
/// deviation of a Brownian motion. The variances per octave follow from the differences between the known times, and from a prior that
/// counts as one more difference. `known` has at least one time.
GuessedTime guess_time(std::span<const KnownTime> known, double octave);

}  // namespace flopcast::tuning
