#pragma once

#include <cstdint>
#include <span>

#include "flopcast/cache/access_distance.hpp"
#include "flopcast/core/environment.hpp"
#include "flopcast/core/inline_vector.hpp"
#include "flopcast/core/placement.hpp"

namespace flopcast::predict {

/// Paper 000, section 3: f(r) = tanh(w r) of the relative access distance r = (capacity - distance) / capacity, with w = 4 for r >= 0 and 2
/// below. 1 is in cache, -1 is out of cache; a negative distance (never accessed) is -1.
[[nodiscard]] double cache_association(std::int64_t distance_bytes, std::int64_t capacity_bytes) noexcept;

/// Paper 000, section 3: the associations of all operands, weighted by their sizes. 1 for a call that touches nothing.
[[nodiscard]] double cache_association(const Placement& placement, std::span<const std::int64_t> operand_bytes,
                                       std::int64_t capacity_bytes) noexcept;

/// Part of a call's time that is taken as if all its operands lay in `level`.
struct LevelShare {
  std::size_t level = 0;  ///< 0 is warm, caches.size() is memory
  double share = 0;
};
using LevelShares = InlineVector<LevelShare, cache::most_thresholds + 1>;

/// The shares of the bytes that lie in each level; they sum up to 1, none is 0. Whatever lies inside the innermost level that could hold
/// the whole footprint, or in it, counts as warm: that is where a call that repeats itself finds its operands.
[[nodiscard]] LevelShares level_shares(const cache::BytesByDistance& bytes_by_level, std::span<const CacheLevel> caches) noexcept;

}  // namespace flopcast::predict
