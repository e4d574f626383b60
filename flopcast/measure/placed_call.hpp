#pragma once

#include <span>
#include <vector>

#include "flopcast/core/call.hpp"
#include "flopcast/core/trace.hpp"
#include "flopcast/measure/experiment.hpp"

namespace flopcast::measure {

/// Returns `call` with addresses: operand k is put at virtual_base(k) if it has no address.
Call with_addresses(const Call& call);

/// Returns allocations at virtual bases that hold everything that `calls` and `actions` touch.
std::vector<Allocation> memory_of(std::span<const Call> calls, std::span<const Action> actions);

}  // namespace flopcast::measure
