#pragma once

#include "flopcast/contract/network/network_plan.hpp"
#include "flopcast/contract/planner/plan.hpp"

namespace flopcast::contract {

/// Returns a function that prepares steps by plan_einsum() with `options`, but for the precision, which is the step's. `machine` and what
/// `options` refers to must exist as long as the function.
PrepareStep einsum_steps(const Machine& machine, PlanOptions options);

}  // namespace flopcast::contract
