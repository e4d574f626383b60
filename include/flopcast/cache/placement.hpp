#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "flopcast/cache/access_distance.hpp"
#include "flopcast/core/environment.hpp"
#include "flopcast/core/sample.hpp"
#include "flopcast/core/trace.hpp"
#include "flopcast/support/division.hpp"

namespace flopcast::cache {

/// The cache levels in which the operands of every call of a trace lie before the call.
struct CacheState {
  /// Returns the placements of the operands of call i. Placement::level counts Environment::caches; memory is one more.
  std::vector<Placement> placements;
  /// Returns by level the bytes of all operands of call i that lie there.
  std::vector<BytesByDistance> bytes_by_level;
};

/// Places the operands of all calls. Level i holds the bytes with an access distance of at most the measured capacity of caches[i], and
/// memory holds the rest. (LRU, fully associative and inclusive caches: Peise and Bientinesi 2014, section 3; counted in lines for runs
/// shorter than a line.) An operand that lies in several levels is assigned to the level of its median byte. Throws bad_input if there are
/// more than four levels or capacities do not grow outwards.
CacheState cache_state(const Trace& trace, std::span<const CacheLevel> caches, Start start = Start::artificial);

}  // namespace flopcast::cache
