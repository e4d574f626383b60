#pragma once

#include <vector>

#include "flopcast/contract/planner/contraction_plan.hpp"

namespace flopcast::contract {

/// Executes each of the most promising candidates once on tensors of its own. Then it races those that weren't clearly slower than the
/// best, until the best is known within 2 % or options.time_budget is spent. If one execution is expected to take much of the budget,
/// samples of the candidates are timed first to select the most promising ones. Moves the fastest candidate to the front. Returns false if
/// options.cancelled stopped the executions.
bool execute_candidates(std::vector<Candidate>& all, const Contraction& contraction, const Folded& folded, const Machine& machine,
                        const TileRates& rates, const PlanOptions& options);

}  // namespace flopcast::contract
