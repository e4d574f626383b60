#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "flopcast/cache/access_distance.hpp"
#include "flopcast/core/environment.hpp"
#include "flopcast/core/placement.hpp"
#include "flopcast/core/trace.hpp"

namespace flopcast::cache {

/// Where the operands of every call of a trace lie before it.
struct CacheState {
  /// Of call i; Placement::level counts Environment::caches, memory is one more.
  std::vector<Placement> placements;
  /// Of call i: how many bytes of all its operands lie in each level.
  std::vector<BytesByDistance> bytes_by_level;
};

/// What comes into a cache together: who reads a row of a matrix has the rows beside it as well.
inline constexpr std::int64_t line_bytes = 64;

/// Level i holds what has an access distance of at most the measured capacity of caches[i]; memory holds the rest (LRU, fully associative
/// and inclusive: paper 000, section 3; by lines where runs are shorter than those). An operand that lies in several levels is given the
/// one that holds its median byte. Throws bad_input if there are more than four levels or capacities do not grow outwards.
CacheState cache_state(const Trace& trace, std::span<const CacheLevel> caches, Start start = Start::artificial);

}  // namespace flopcast::cache
