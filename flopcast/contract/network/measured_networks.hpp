#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "flopcast/contract/einsum/einsum_tensors.hpp"
#include "flopcast/contract/network/network_plan.hpp"
#include "flopcast/contract/planner/contraction_plan.hpp"
#include "flopcast/support/units.hpp"

namespace flopcast::contract {

/// Prepares these trees of one network, executes them in turns on `tensors`, and returns the fastest one with its median time. Returns the
/// first tree without a time if the intermediates have no room in half of the available memory, or if the time budget ends before each tree
/// was executed twice. Throws what `prepare` throws.
std::pair<NetworkPlan, std::optional<Seconds>> fastest_of(std::vector<ContractionTree> trees, const PrepareStep& prepare,
                                                          const EinsumTensors& tensors, const PlanOptions& options);

}  // namespace flopcast::contract
