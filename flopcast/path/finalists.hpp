#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "flopcast/core/units.hpp"

namespace flopcast::path {

/// What is predicted of a configuration.
struct Prediction {
  Seconds seconds = 0, half_width = 0;  ///< of the interval around it, >= 0
  bool executed = false;                ///< in full, already: to look at that costs nothing
};

/// The numbers of the configurations that may be the best one as far as predictions tell, the least first: those whose interval meets that of
/// the least prediction, until executing those that haven't been would take longer than `affordable`. An execution takes `pace` times what is
/// predicted, more than 1 where processes share cores and predictions are CPU time. None if there is but one such
/// configuration, as nothing is in doubt then; else at least two, whatever they take, for one alone decides nothing.
[[nodiscard]] std::vector<std::size_t> finalists_in_doubt(std::span<const Prediction> all, Seconds affordable, double pace = 1);

}  // namespace flopcast::path
