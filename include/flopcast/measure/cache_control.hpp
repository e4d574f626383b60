#pragma once

#include <cstdint>
#include <vector>

#include "flopcast/core/call.hpp"
#include "flopcast/core/environment.hpp"
#include "flopcast/measure/memory.hpp"

/// Functions that bring real memory into a given cache state.
namespace flopcast::measure {

/// Returns whether this CPU can flush single cache lines.
bool can_flush_lines();
/// Flushes every line of `region` from all caches. Requires can_flush_lines().
void flush_lines(const Region& region);
/// Begins to flush the lines of `region`, for many small regions. All lines are flushed after wait_for_flushes().
void begin_to_flush_lines(const Region& region);
void wait_for_flushes();
/// Fills `region` with copies of `pattern`; a copy begins at every address that is a multiple of 8. Whole lines are written past the caches
/// and aren't cached afterwards. Partial lines are written normally and then flushed. Requires can_flush_lines().
void write_past_caches(const Region& region, std::uint64_t pattern);
/// Reads a byte of every line of `region`.
void read_lines(const Region& region);
/// Writes a byte of every line of `region` with its own value, so that the lines are dirty afterwards.
void rewrite_lines(const Region& region);

/// Memory that is read to evict other memory from caches.
class Sweeper {
 public:
  explicit Sweeper(const std::vector<CacheLevel>& caches) : caches_(caches) {}

  /// Evicts the contents of levels 0 ... `level` into the next level, by reading 1.5 times their summed capacity. It reads no more, so that
  /// outer levels keep most of their contents. Throws bad_input if `level` isn't one of the measured caches.
  void evict(int level);
  /// Evicts everything from every cache by reading flush_bytes().
  void flush_all();
  /// Returns associativity x capacity of the outermost cache (Iakymchuk 2011), limited to 256 MiB or twice the measured capacity, whichever
  /// is more. With 16 and more ways the product would be gigabytes, while 256 MiB have proved to be enough. Returns 256 MiB if nothing was
  /// measured.
  [[nodiscard]] std::int64_t flush_bytes() const;

 private:
  void read(std::int64_t bytes);

  std::vector<CacheLevel> caches_;
  Memory memory_;
};

}  // namespace flopcast::measure
