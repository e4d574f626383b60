#pragma once

#include <vector>

#include "flopcast/contract/einsum/pair_plan.hpp"
#include "flopcast/contract/network/network_plan.hpp"
#include "flopcast/contract/planner/contraction_plan.hpp"

namespace flopcast::contract {

/// Returns a function that prepares steps by plan_pair() with `options`, but for the precision, which is the step's. `machine` and what
/// `options` refers to must exist as long as the function. If `made` isn't null, the function adds every plan to that list.
PrepareStep einsum_steps(const Machine& machine, PlanOptions options, std::vector<Plan>* made = nullptr);

}  // namespace flopcast::contract
