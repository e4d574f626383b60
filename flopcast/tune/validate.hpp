#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "flopcast/core/statistics.hpp"
#include "flopcast/tune/block_size.hpp"

namespace flopcast::tuning {

/// One alternative that was really run.
struct Measured {
  std::string variant;
  algorithm::BlockParameters blocks;
  std::vector<Seconds> times;  ///< drift-normalised times
  Seconds median = 0;
  double error = 0;  ///< predicted / measured - 1
  friend bool operator==(const Measured&, const Measured&) = default;
};

/// An anomaly of the runs of one alternative: a factorisation that gave up, results that aren't finite, other programs.
struct RunWarning {
  std::string run;  ///< such as "500 library, nb 64": order, variant, block size
  std::string text;
  friend bool operator==(const RunWarning&, const RunWarning&) = default;
};

/// Result of the validation of one problem.
struct Check {
  bool complete = false;                       ///< every alternative that was to be run has a time
  std::vector<Measured> measured;              ///< the alternatives that were run, in the order of the decision's forecasts
  Seconds standard = 0, chosen = 0, best = 0;  ///< medians
  std::string best_variant;
  algorithm::BlockParameters best_blocks;
  double yield = 0;  ///< best / chosen: 1 is perfect (paper 000's measure)
  double noise =
      0;  ///< median over alternatives of |first half / second half - 1|: the difference between two measurements of the same thing
  std::vector<RunWarning> warnings;
  friend bool operator==(const Check&, const Check&) = default;
};

/// Alternatives of a decision that are run.
enum class Extent : std::uint8_t {
  all,  ///< every forecast
  /// Each variant at its best block size, and the standard. Variants that are predicted to take seconds, and so much longer than the chosen
  /// one that their place is beyond doubt, are left out.
  ranking,
};

/// Functions that run alternatives.
struct Runners {
  /// Makes the library use these parameters for `call`'s routine from now on; called before each run of the library's own routine.
  std::function<void(const Call& call, const algorithm::BlockParameters& blocks)> set_blocks;
  /// Does the work of `call`, by a variant, on the real operands that it names; returns LAPACK's info.
  std::function<std::int32_t(const Call& call, const Alternative& alternative)> execute;
};
using Measure = std::function<std::vector<measure::Timings>(std::span<const measure::Experiment>)>;

/// Runs a problem's alternatives, all interleaved, and compares them with the forecasts. Operands are freshly filled, code is warm.
Check validate(const Problem& problem, const Decision& decision, const Measure& measure, const Runners& runners,
               Extent extent = Extent::all);

/// Expected time of a validation without disturbances, including the time to fill operands; `rule` tells how often each alternative runs.
/// Disturbed runs are repeated, so that it may take twice as long.
Seconds validation_seconds(const Problem& problem, const Decision& decision, const measure::StopRule& rule, Extent extent = Extent::all);

/// Agreement of a ranking's order with the measured times.
struct OrderCheck {
  std::size_t pairs = 0;  ///< number of pairs of variants whose measured medians differ by more than `margin`
  std::size_t right = 0;  ///< of these, the pairs that were predicted in this order
  friend bool operator==(const OrderCheck&, const OrderCheck&) = default;
};
/// Compares the variants at the block sizes of the ranking; those that weren't run are left out.
OrderCheck check_order(const Decision& decision, const Check& check, double margin = 0.03);

}  // namespace flopcast::tuning
