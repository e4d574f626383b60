#pragma once

#include <functional>
#include <span>
#include <vector>

#include "flopcast/core/statistics.hpp"
#include "flopcast/tune/block_size.hpp"

namespace flopcast::tune {

/// One alternative, really run.
struct Measured {
  algorithm::BlockParameters blocks;
  std::vector<Seconds> times;  ///< drift-normalised
  Seconds median = 0;
  double error = 0;  ///< predicted / measured - 1
  friend bool operator==(const Measured&, const Measured&) = default;
};

/// What validation found for one problem.
struct Check {
  std::vector<Measured> measured;              ///< in the order of the decision's forecasts
  Seconds standard = 0, chosen = 0, best = 0;  ///< medians
  algorithm::BlockParameters best_blocks;
  double yield = 0;  ///< best / chosen: 1 is perfect (the issue's and paper 000's measure)
  double noise = 0;  ///< median over alternatives of |first half / second half - 1|: what measuring the same twice differs by
  friend bool operator==(const Check&, const Check&) = default;
};

/// Makes LAPACK use these parameters for `call`'s routine from now on.
using SetBlocks = std::function<void(const Call& call, const algorithm::BlockParameters& blocks)>;
using Measure = std::function<std::vector<measure::Timings>(std::span<const measure::Experiment>)>;

/// Runs the real routine for every problem and forecast of its decision, all interleaved, and compares. Operands are freshly filled, code is warm.
std::vector<Check> validate(std::span<const Problem> problems, std::span<const Decision> decisions, const Measure& measure,
                            const SetBlocks& set_blocks);

}  // namespace flopcast::tune
