#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "flopcast/contract/algorithm.hpp"
#include "flopcast/contract/syntax_tree.hpp"
#include "flopcast/core/environment.hpp"
#include "flopcast/core/units.hpp"

namespace flopcast::contract {

/// Positions [begin, end) of an index.
struct IndexRange {
  std::int64_t begin = 0, end = 0;
  friend bool operator==(const IndexRange&, const IndexRange&) = default;
};

/// A part of a tensor, or of a copy's buffer, and the cache it lies in when a stretch begins.
struct PlacedPart {
  Slice slice;
  std::vector<IndexRange> ranges;    ///< per index of the tensor; of a buffer none: it is placed as a whole
  std::int64_t distance_bytes = -1;  ///< touched since its last access, in whole cache lines
  double calls_since = 0;            ///< kernel calls since then
  int level = 0;                     ///< counted from 0 = L1; the number of caches stands for memory
};

/// Consecutive iterations of one of an algorithm's loops, timed together, with the iterations right before them.
struct Stretch {
  std::string what;                 ///< "stretch of c", "first of c", ...
  std::vector<std::int64_t> outer;  ///< iterations that the loops around are at
  std::int64_t begin = 0, iterations = 0;
  std::int64_t in_a_row = 1;  ///< so many stretches follow one another, each timed by itself
  std::int64_t lead = 0;      ///< iterations before it that are executed, but not timed
  std::vector<std::int64_t>
      previous;                   ///< where the loops around were in a first stretch's lead, which is the end of the loop's last execution
  std::vector<PlacedPart> parts;  ///< of all that is touched
  double written = 0;             ///< share of lines that are written, among those touched before
  Seconds estimate = 0;           ///< what one stretch takes, roughly and rather too short
  double count = 0;               ///< the algorithm's time is the sum of count x time over its stretches

  [[nodiscard]] bool is_first() const { return begin == 0; }
  [[nodiscard]] std::int64_t end() const { return begin + in_a_row * iterations; }
};

struct StretchOptions {
  Seconds timed = 50e-6;  ///< at least, by a rough estimate: a thousand times what a clock costs
  /// Lines that a prefetcher has brought too early are used an iteration of the loop outside later, so the lead is to reach back so far where
  /// that is cheap. (Vector units need 20 us to run at full speed again.)
  Seconds lead = 150e-6;
  /// One preparation of the caches and one lead serve as many stretches in a row as take this long, by a rough estimate, and touch pages of
  /// no more than so many bytes, as far as the loop is long enough.
  Seconds in_a_row = 500e-6;
  std::int64_t in_a_row_bytes = std::int64_t{8} << 20;
  /// What was last used this share of a cache's measured capacity ago is in it, or isn't; in between parts are (measured on a shared
  /// last-level cache, docs/contractions.md).
  double surely_inside = 0.4, surely_outside = 0.9;
  double least_share = 0.01;  ///< of a situation's calls among all; rarer ones count as the most frequent
};

/// How to predict an algorithm that has loops from few stretches of it. Short loops inside are taken whole. A stretch within a loop and one at
/// its beginning stand for all of them; each is timed in all the situations that loops around make for it: these may be at their first
/// iteration, or reach a new cache line, or neither. Where an operand lies before follows from what was touched since the last access to
/// it, as paper 002 has it (section 3.2), but counted in cache lines.
std::vector<Stretch> stretches(const Algorithm& algorithm, const Contraction& contraction, const Environment& environment,
                               const StretchOptions& options = {});

/// How long a last-level cache that is shared with others keeps what isn't used: surely this long, surely no longer; 0 where it isn't known
/// to be one.
struct Lifetime {
  Seconds surely = 0, at_most = 0;
  [[nodiscard]] bool is_known() const { return surely > 0; }
};

/// A cache that others fill too has no capacity but a lifetime: the faster one pulls, the more it keeps. If the capacity for a chain of
/// dependent reads is less than half of that for streams, and the times that these two take for what is kept differ less than the
/// capacities do, they are two measurements of it. Not so where several chains of dependent reads at once keep no more than a single one,
/// which is far slower: that is a capacity.
Lifetime lifetime_in_last_cache(const Environment& environment);

/// Capacity of a level as far as it decides what lies in it. In a last-level cache of which both chases see the same capacity, streams lose
/// speed slowly beyond it, and where their knee is found differs by several times from one measurement to the next: the capacity then lies
/// between what chases see and the upper end of the streams' knee, which is no more than the system says that there is.
std::int64_t capacity_for_placing(const Environment& environment, std::size_t level);

/// Adds a part; so many eighths of it lie in the next level out, cut off across its longest range.
void add_in_two(std::vector<PlacedPart>& parts, PlacedPart part, int eighths_outside);

/// Bytes of the cache lines that a slice's elements lie in.
std::int64_t line_footprint_bytes(const Slice& slice, const Contraction& contraction, std::int64_t line_bytes);

}  // namespace flopcast::contract
