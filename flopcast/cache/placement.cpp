#include "flopcast/cache/placement.hpp"

#include <numeric>

#include "flopcast/machine/caches/cache_levels.hpp"
#include "flopcast/support/division.hpp"
#include "flopcast/support/error.hpp"

namespace flopcast::cache {
namespace {

static_assert(max_thresholds >= machine::max_cache_levels, "each measured level of cache needs its threshold");

InlineVector<std::int64_t, max_thresholds> capacities(std::span<const CacheLevel> caches) {
  if (caches.size() > max_thresholds) {
    throw bad_input("{} levels of cache, at most {} are possible", caches.size(), max_thresholds);
  }
  InlineVector<std::int64_t, max_thresholds> all;
  std::int64_t before = 0;
  for (const CacheLevel& cache : caches) {
    if (cache.capacity_bytes <= before) {
      throw bad_input("cache {} has a capacity of {} bytes, expected more than {}, the capacity of the level before it", cache.name,
                      cache.capacity_bytes, before);
    }
    all.push_back(before = cache.capacity_bytes);
  }
  return all;
}

/// Returns the level of the median byte; the first level for an operand that touches nothing.
std::int8_t level(const BytesByDistance& bytes) {
  const std::int64_t all = std::accumulate(bytes.begin(), bytes.end(), std::int64_t{0});
  std::int64_t sum = bytes[0];
  std::int8_t level = 0;
  while (2 * sum < all) {
    sum += bytes[static_cast<std::size_t>(++level)];
  }
  return level;
}

}  // namespace

CacheState cache_state(const Trace& trace, std::span<const CacheLevel> caches, Start start) {
  AccessTracker tracker(trace, {start, 0, capacities(caches), cache_line_bytes});
  CacheState state;
  state.placements.resize(trace.calls.size());
  state.bytes_by_level.resize(trace.calls.size());
  for (std::size_t i = 0; i < trace.calls.size(); ++i) {
    for (const OperandAccess& access : tracker.next()) {
      state.placements[i].push_back({access.distance_bytes, level(access.bytes), access.dirty});
      for (std::size_t l = 0; l < access.bytes.size(); ++l) {
        state.bytes_by_level[i][l] += access.bytes[l];
      }
    }
  }
  return state;
}

}  // namespace flopcast::cache
