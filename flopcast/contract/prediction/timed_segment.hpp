#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "flopcast/contract/algorithms/algorithm.hpp"
#include "flopcast/contract/algorithms/syntax_tree.hpp"
#include "flopcast/core/environment.hpp"
#include "flopcast/support/units.hpp"

namespace flopcast::contract {

/// Positions [begin, end) of an index.
struct IndexRange {
  std::int64_t begin = 0, end = 0;
  friend bool operator==(const IndexRange&, const IndexRange&) = default;
};

/// A part of a tensor, or of a copy's buffer, and the cache that holds it when a segment begins.
struct PlacedPart {
  Slice slice;
  std::vector<IndexRange> ranges;    ///< one range per index of the tensor; empty for a buffer, which is placed as a whole
  std::int64_t distance_bytes = -1;  ///< bytes touched since the last access, in whole cache lines
  double calls_since = 0;            ///< kernel calls since the last access
  int level = 0;                     ///< number of the cache, 0 = L1; the number of caches stands for memory
};

/// A segment: consecutive iterations of one of an algorithm's loops that are timed together, after the iterations right before them.
struct LoopSegment {
  std::string what;                 ///< "segment of c", "first of c", ...
  std::vector<std::int64_t> outer;  ///< positions of the outer loops
  std::int64_t begin = 0, iterations = 0;
  std::int64_t in_a_row = 1;  ///< number of consecutive segments, each timed by itself
  std::int64_t lead = 0;      ///< iterations before the segment that are executed, but not timed
  std::vector<std::int64_t>
      previous;  ///< positions of the outer loops in the lead of a first segment, which is the end of the loop's last execution
  std::vector<PlacedPart> parts;  ///< parts of everything that is touched
  double written = 0;             ///< share of written lines among those touched before
  Seconds estimate = 0;           ///< rough estimate of the time of one segment, rather too short
  double count = 0;               ///< the algorithm's time is the sum of count x time over its segments

  [[nodiscard]] bool is_first() const { return begin == 0; }
  [[nodiscard]] std::int64_t end() const { return begin + in_a_row * iterations; }
};

struct LoopSegmentOptions {
  Seconds timed = 50e-6;  ///< shortest timed segment, by a rough estimate: a thousand times the cost of a clock reading
  /// Longest lead. A prefetcher loads some lines too early, and they are used one iteration of the next outer loop later. So the lead
  /// reaches back that far where this is cheap. (Vector units need 20 us to run at full speed again.)
  Seconds lead = 150e-6;
  /// One preparation of the caches and one lead serve several consecutive segments, if the loop is long enough. Together the segments take
  /// at most this long, by a rough estimate, and touch pages of at most `in_a_row_bytes`.
  Seconds in_a_row = 500e-6;
  std::int64_t in_a_row_bytes = std::int64_t{8} << 20;
  /// Data last used less than `surely_inside` times a cache's measured capacity ago are in the cache; data beyond `surely_outside` times
  /// the capacity aren't. In between a part of them is (measured on a shared last-level cache, docs/explanation/contractions.md).
  double surely_inside = 0.4, surely_outside = 0.9;
  double min_share = 0.01;  ///< smallest share of calls of a situation that is timed; rarer situations count as the most frequent one
};

/// Returns segments from which the time of an algorithm with loops is predicted. Loops inside of the chosen loop are taken whole. One
/// segment within the chosen loop and one at its beginning stand for all of it. Each is timed in all situations of the outer loops, which
/// are at their first iteration, or reach a new cache line, or neither. An operand's cache follows from the memory touched since its last
/// access as in Peise et al. 2015 (section 3.2), but counted in cache lines.
std::vector<LoopSegment> timed_segments(const Algorithm& algorithm, const Contraction& contraction, const Environment& environment,
                                        const LoopSegmentOptions& options = {});

/// The time for which a last-level cache that is shared with others keeps unused data: surely `surely`, and no longer than `at_most`. 0 if
/// the cache isn't known to behave like this.
struct Lifetime {
  Seconds surely = 0, at_most = 0;
  [[nodiscard]] bool is_known() const { return surely > 0; }
};

/// Returns the lifetime of data in the last-level cache. A cache that others fill too has no capacity, but a lifetime: the faster a program
/// reads, the more it keeps. The capacities for streams and for a chain of dependent reads are then two measurements of the lifetime. This
/// is assumed if the chain's capacity is less than half of the streams', and the times for reading the two capacities differ less than the
/// capacities themselves. If several chains at once keep about as much as a single chain, which is far slower, the cache has a capacity.
Lifetime lifetime_in_last_cache(const Environment& environment);

/// Returns the capacity that decides what a cache level holds. Both chases may see the same capacity of a last-level cache. Streams then
/// lose speed slowly beyond it, and the position of their knee varies severalfold between measurements. In this case the result is the
/// geometric mean of the chases' capacity and the upper end of the streams' knee, limited to the capacity that the system reports. The
/// result is at least the chases' capacity.
std::int64_t capacity_for_placing(const Environment& environment, std::size_t level);

/// Adds a part to `parts`. `eighths_outside` eighths of it, cut off across its longest range, lie in the next outer level.
void add_in_two(std::vector<PlacedPart>& parts, PlacedPart part, int eighths_outside);

/// Returns the bytes of the cache lines that contain a slice's elements.
std::int64_t line_footprint_bytes(const Slice& slice, const Contraction& contraction, std::int64_t line_bytes);

}  // namespace flopcast::contract
