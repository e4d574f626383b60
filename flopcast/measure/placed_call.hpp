#pragma once

#include <span>
#include <vector>

#include "flopcast/core/call.hpp"
#include "flopcast/core/sample.hpp"
#include "flopcast/core/trace.hpp"
#include "flopcast/measure/experiment.hpp"

namespace flopcast::measure {

/// A part of an operand and the cache state that it should have.
struct PlacedRegion {
  Region region;
  OperandState state;
};

/// Appends actions that bring regions, which filling has left in some cache, into their levels of `levels` caches. Regions in memory are
/// flushed. Then, from the outermost level inwards, the regions of each level are touched, the longest unused first, and evicted from the
/// inner levels.
///
/// Regions of a cache are not flushed. A last-level cache that favours reuse doesn't keep lines that came from memory once, which made
/// kernels up to 15 % slower than in the routine.
void append_placing(std::vector<Action>& actions, std::vector<PlacedRegion> regions, int levels);

/// Returns `call` with addresses: operand k is put at virtual_base(k) if it has no address.
Call with_addresses(const Call& call);

/// Returns allocations at virtual bases that hold everything that `calls` and `actions` touch.
std::vector<Allocation> memory_of(std::span<const Call> calls, std::span<const Action> actions);

}  // namespace flopcast::measure
