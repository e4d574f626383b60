#pragma once

#include <span>
#include <vector>

#include "flopcast/core/call.hpp"
#include "flopcast/core/trace.hpp"
#include "flopcast/measure/experiment.hpp"

namespace flopcast::measure {

/// `call` with the k-th of its operands that has no address at virtual_base(k).
Call with_addresses(const Call& call);

/// Allocations at virtual bases that hold all that `calls` and `actions` touch.
std::vector<Allocation> memory_of(std::span<const Call> calls, std::span<const Action> actions);

}  // namespace flopcast::measure
