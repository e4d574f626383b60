#pragma once

#include <vector>

#include "flopcast/contract/candidates.hpp"
#include "flopcast/contract/plan.hpp"

namespace flopcast::contract {

/// Executes the most promising candidates on tensors of its own, each once, then races those that weren't clearly slower than the best,
/// until the best is known within 2 % or options.time_budget is spent. Where an execution is expected to take much of that, samples of the
/// candidates are timed first and say which are the most promising. Brings the fastest to the front. Whether it ran to its end: false if
/// options.go_on stopped it.
bool execute_candidates(std::vector<Candidate>& all, const Contraction& contraction, const Folded& folded, const Machine& machine,
                        const TileRates& rates, const PlanOptions& options);

}  // namespace flopcast::contract
