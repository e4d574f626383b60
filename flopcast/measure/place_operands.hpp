#pragma once

#include <vector>

#include "flopcast/core/placement.hpp"
#include "flopcast/core/region.hpp"
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

}  // namespace flopcast::measure
