#pragma once

#include <span>
#include <vector>

#include "flopcast/contract/algorithms/algorithm.hpp"
#include "flopcast/contract/prediction/forecast.hpp"
#include "flopcast/support/units.hpp"

namespace flopcast::contract {

/// Executes algorithms and returns the medians of their times, NaN for one that wasn't executed: those with long predicted times. `measure`
/// times three executions of each, all interleaved. C accumulates, as in the paper's kernels. `predicted` holds the predicted times, one
/// per algorithm, `threads` is the number of the BLAS's threads. If `measure` is interrupted, the result covers the executions so far.
std::vector<Seconds> execution_times(std::span<const Algorithm> algorithms, const Contraction& contraction, const FindRoutine& find,
                                     std::span<const Seconds> predicted, int threads, const Measure& measure);

}  // namespace flopcast::contract
