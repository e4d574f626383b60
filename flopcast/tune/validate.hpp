#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "flopcast/measure/session_options.hpp"
#include "flopcast/tune/block_size.hpp"

namespace flopcast::tuning {

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

/// Compares `forecasts` of a decision with runs, which are in the same order. Only the first call of each timing counts.
Check compare_runs(const Decision& decision, std::span<const Forecast> forecasts, std::span<const measure::Timings> timings);

/// Expected time of a validation without disturbances, including the time to fill operands; `rule` tells how often each alternative runs.
/// Disturbed runs are repeated, so that it may take twice as long.
Seconds validation_seconds(const Problem& problem, const Decision& decision, const measure::StopRule& rule, Extent extent = Extent::all);

/// Compares the variants at the block sizes of the ranking; those that weren't run are skipped.
OrderCheck check_order(const Decision& decision, const Check& check, double margin = 0.03);

}  // namespace flopcast::tuning
