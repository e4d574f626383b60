#pragma once

#include <cstdint>
#include <span>

#include "flopcast/cache/access_distance.hpp"
#include "flopcast/core/environment.hpp"
#include "flopcast/core/sample.hpp"
#include "flopcast/support/inline_vector.hpp"
#include "flopcast/support/units.hpp"

namespace flopcast::prediction {

/// Returns the time of recorded calls on another machine. Given are the recorded time, and the models' expectations there and elsewhere.
/// Time that the models leave out (first use of memory, start of libraries, data) stays constant: the calls take as much longer elsewhere.
/// If the models expect more than the recorded time, they are assumed to be wrong by the same factor in both places.
Seconds transferred_time(Seconds recorded, Seconds expected_there, Seconds expected_elsewhere) noexcept;

/// Returns the cache association f(r) = tanh(w r) of the relative access distance r = (capacity - distance) / capacity, with w = 4 for r >=
/// 0 and w = 2 for r < 0 (Peise and Bientinesi 2014, section 3). 1 is in cache, -1 is out of cache; a negative distance (never accessed)
/// gives -1.
[[nodiscard]] double cache_association(std::int64_t distance_bytes, std::int64_t capacity_bytes) noexcept;

/// Returns the mean association of all operands, weighted by their sizes (Peise and Bientinesi 2014, section 3); 1 for a call that touches
/// nothing.
[[nodiscard]] double cache_association(const Placement& placement, std::span<const std::int64_t> operand_bytes,
                                       std::int64_t capacity_bytes) noexcept;

/// The part of a call's time that counts as if all its operands lay in `level`.
struct LevelShare {
  std::size_t level = 0;  ///< 0 is warm, caches.size() is memory
  double share = 0;
};
using LevelShares = InlineVector<LevelShare, cache::max_thresholds + 1>;

/// Returns the shares of the bytes in each level; they add up to 1, and none is 0. Everything in or inside of the innermost level that
/// could hold the whole footprint counts as warm, because a repeated call finds its operands there.
[[nodiscard]] LevelShares level_shares(const cache::BytesByDistance& bytes_by_level, std::span<const CacheLevel> caches) noexcept;

}  // namespace flopcast::prediction
