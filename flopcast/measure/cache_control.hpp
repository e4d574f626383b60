#pragma once

#include <cstdint>
#include <vector>

#include "flopcast/core/environment.hpp"
#include "flopcast/core/region.hpp"
#include "flopcast/measure/memory.hpp"

/// Ways to bring real memory into a stated cache state.
namespace flopcast::measure {

/// Whether this CPU can flush single cache lines.
bool can_flush_lines();
/// Pushes every line of `region` out of all caches; requires can_flush_lines().
void flush_lines(const Region& region);
/// Begins to, for many small regions: all are flushed after wait_for_flushes().
void begin_to_flush_lines(const Region& region);
void wait_for_flushes();
/// Fills whole lines of `region` with copies of `pattern` past the caches, which don't have these lines afterwards; the rest of it like
/// other memory, and flushes that. A copy begins at every address that is a multiple of 8. Requires can_flush_lines().
void write_past_caches(const Region& region, std::uint64_t pattern);
/// Reads a byte of every line of `region`.
void read_lines(const Region& region);
/// Writes a byte of every line of `region` with its own value: the lines are dirty afterwards.
void rewrite_lines(const Region& region);

/// Memory that is read to push other memory out of caches.
class Sweeper {
 public:
  explicit Sweeper(const std::vector<CacheLevel>& caches) : caches_(caches) {}

  /// Pushes out what lies in the levels 0 ... `level` into the next, by reading 1.5 times their summed capacity and no more, so that outer
  /// levels keep most of what they hold. Throws bad_input if `level` isn't one of the measured caches.
  void evict(int level);
  /// Pushes everything out of every cache by reading flush_bytes().
  void flush_all();
  /// Associativity x capacity of the outermost cache (paper 001), but not above 256 MiB or twice the measured capacity, whichever is more:
  /// with 16 and more ways the product would be gigabytes, while 256 MiB have proved to be enough. 256 MiB where nothing was measured.
  [[nodiscard]] std::int64_t flush_bytes() const;

 private:
  void read(std::int64_t bytes);

  std::vector<CacheLevel> caches_;
  Memory memory_;
};

}  // namespace flopcast::measure
