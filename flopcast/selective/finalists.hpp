#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "flopcast/support/units.hpp"

namespace flopcast::selective {

/// Predicted time of a configuration.
struct PredictedCandidate {
  Seconds seconds = 0, half_width = 0;  ///< half-width of the interval around `seconds`, >= 0
  bool executed = false;                ///< already executed in full, so that its time costs nothing
};

/// Returns the numbers of the configurations that may be the best one according to the predictions, the least first. These are the ones
/// whose interval meets that of the least prediction, until executing the unexecuted ones would exceed `affordable`. An execution takes
/// `pace` times the prediction, more than 1 where processes share cores and predictions are CPU time. Returns none if there is only one
/// such configuration, because nothing is in doubt then. Otherwise returns at least two, whatever they take, because one alone decides
/// nothing.
[[nodiscard]] std::vector<std::size_t> finalists_in_doubt(std::span<const PredictedCandidate> all, Seconds affordable, double pace = 1);

/// Returns whether the remaining finalists are skipped after `done` of them were executed in the time `elapsed`. At least two are
/// executed, and further ones only until `affordable` is spent.
[[nodiscard]] constexpr bool skips_finalists(std::size_t done, Seconds elapsed, Seconds affordable) noexcept {
  constexpr std::size_t min_finalists = 2;
  return done >= min_finalists && elapsed > affordable;
}

}  // namespace flopcast::selective
