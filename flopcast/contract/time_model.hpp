#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "flopcast/contract/blocked.hpp"
#include "flopcast/contract/panel_tiles.hpp"
#include "flopcast/contract/tile_rates.hpp"
#include "flopcast/core/environment.hpp"
#include "flopcast/core/units.hpp"

namespace flopcast::contract {

/// What executing a blocking is expected to take: `first` for the first tiles of K, which overwrite C, `later` for all further ones, which
/// add to it.
struct ExpectedTime {
  /// Multiplying tiles; A and B as the folded contraction has them; C.
  struct Parts {
    Seconds kernel = 0, a = 0, b = 0, c = 0;
    [[nodiscard]] Seconds sum() const { return kernel + a + b + c; }
    friend Parts operator+(const Parts& x, const Parts& y) { return {x.kernel + y.kernel, x.a + y.a, x.b + y.b, x.c + y.c}; }
    friend Parts operator*(double factor, const Parts& x) { return {factor * x.kernel, factor * x.a, factor * x.b, factor * x.c}; }
  };
  struct Share {
    Parts inside;  ///< multiplying, packing and buffering within the private caches
    Parts moving;  ///< between these and the last cache or memory
    [[nodiscard]] Parts parts() const { return inside + moving; }
    friend Share operator+(const Share& x, const Share& y) { return {x.inside + y.inside, x.moving + y.moving}; }
  };
  Share first, later;
  [[nodiscard]] Parts parts() const { return (first + later).parts(); }
  [[nodiscard]] Seconds total() const { return parts().sum(); }
};

/// Waking a thread and waiting for its end: between its being awake (a microsecond) and its having to be started (tens of them).
inline constexpr Seconds start_of_a_thread = 8e-6;

/// Lines that could have come by the time that a run's first ones take: runs of 3 lines took 1.57 times as long as long ones, of 4.5 lines
/// 1.35 times (a Zen 5, intensli3 of the TCCG suite from memory).
inline constexpr double lines_until_prefetched = 1.5;

/// How much of what is used over and over again lies outside of a last-level cache: such caches don't end at a sharp size.
double share_outside(double working_set_bytes, double capacity_bytes);

/// Expected times of blockings of one contraction: tiles at their kernel's rates, packing, and what memory and outer caches have to move.
/// docs/planner.md has the formula. Refers to what it is made of.
class TimeModel {
 public:
  TimeModel(const Folded& folded, const Environment& environment, const TileRates& rates)
      : folded_(&folded), environment_(&environment), rates_(&rates), panel_(panel_size(folded.precision)) {}
  TimeModel(const Folded&, Environment&&, const TileRates&) = delete;  // temporaries would be gone
  TimeModel(const Folded&, const Environment&, TileRates&&) = delete;

  [[nodiscard]] ExpectedTime time(const Blocking& blocking) const;
  /// Whether nothing is packed.
  [[nodiscard]] bool is_in_place(const Blocking& blocking) const;
  /// Which operands pass through buffers of a tile.
  struct Packed {
    bool a = false, b = false, c = false;
  };
  [[nodiscard]] Packed what_is_packed(const Blocking& blocking) const;
  /// The contraction is part of one whose tensors have so many bytes, and finds its operands where that one leaves them.
  void set_working_set(double bytes) { working_set_bytes_ = bytes; }
  /// So many threads work at once, of which the blocking may be one's part: what they share of outer bandwidths. Without it the blocking's own.
  void set_neighbours(int threads) { neighbours_ = threads; }
  /// Bytes of all tensors' elements.
  [[nodiscard]] double working_set_bytes() const;
  /// Whether all tiles of this length are a constant step apart inside; `offsets` is one of the contraction's tables. Looked up once.
  [[nodiscard]] bool is_regular(const std::vector<std::int64_t>& offsets, std::int64_t length) const;

 private:
  /// Seconds that moving an element takes on average over all products of one tile of K.
  struct Packing {
    Seconds a = 0, b = 0, c = 0;
  };
  [[nodiscard]] Packing packing(const Blocking& blocking) const;
  /// Part of a folded dimension in a tensor.
  struct Side {
    const std::vector<std::int64_t>& offsets;
    std::int64_t length;
  };
  /// Of the loop over tiles that doesn't move an operand.
  struct Turns {
    double packings = 1;           ///< of each of the operand's tiles, where it is packed
    double again = 0;              ///< how often all of its tiles are read once more, from what holds `working_set_bytes`
    double working_set_bytes = 0;  ///< of one turn
    bool keeps = false;            ///< all of its packed tiles from one turn to the next
  };
  [[nodiscard]] Turns turns_of(const Blocking& blocking, TileLoop without, bool keeps) const;
  /// Seconds for so many bytes of A or B: from their tensor at `outer` per byte, and then at `again`, where kept tiles are written to as well.
  [[nodiscard]] Seconds moving(double bytes, const Side& rows, const Side& columns, bool is_packed, Seconds outer, Seconds again,
                               const Turns& turns) const;
  /// How many times as fast as one its threads are, which take tiles of N, or of M, as Blocked::run shares them out.
  [[nodiscard]] double at_once_of(const Blocking& blocking) const;
  [[nodiscard]] bool packs_some_of_b(const Blocking& blocking) const;
  /// Threads that share outer bandwidths with one of so many.
  [[nodiscard]] int beside(int threads) const { return neighbours_ > 0 ? neighbours_ : std::max(1, threads); }
  /// Of the batch kernel.
  [[nodiscard]] ExpectedTime time_along_batch(int threads) const;
  /// Lines of a panel of B's columns that L1 loses until the next panel of A comes to it, as too many of them belong to the same sets of it.
  /// Of a panel that the panel kernel reads where it lies; looked up once.
  [[nodiscard]] double lines_lost(std::int64_t depth) const;
  [[nodiscard]] double lines_lost_of(std::int64_t depth) const;
  /// How many of a tile's offsets are `step` apart from one another in a row, once sorted: the first such run. Looked up once.
  [[nodiscard]] std::int64_t run_of(const Side& side, std::int64_t step) const;
  /// Elements of an operand's tile that are neighbours in memory: along one side, and along the other where that goes on from there.
  [[nodiscard]] std::int64_t run_of(const Side& rows, const Side& columns) const;
  /// How many times as long as its bytes take an operand takes to come from outside: lines are fetched again as a tile needs only part of them,
  /// and each run begins before prefetchers follow it.
  [[nodiscard]] double fetching(const Side& rows, const Side& columns) const;
  /// The share of A's rows that panels can't read in place, though most lie for that; looked up once.
  [[nodiscard]] double scattered_share(const Blocking& blocking) const;
  /// M in the blocking's order.
  [[nodiscard]] const Fold& rows_of(const Blocking& blocking) const;
  [[nodiscard]] bool is_direct(const std::vector<std::int64_t>& rows, std::int64_t row_length, const std::vector<std::int64_t>& columns,
                               std::int64_t column_length) const;

  const Folded* folded_;
  const Environment* environment_;
  const TileRates* rates_;
  PanelSize panel_;
  double working_set_bytes_ = 0;  ///< 0: the contraction's own
  int neighbours_ = 0;            ///< 0: the blocking's threads
  using TableAndLength = std::pair<const std::int64_t*, std::int64_t>;
  mutable std::map<std::pair<TableAndLength, std::int64_t>, std::int64_t> runs_;  ///< by step, too
  mutable std::map<TableAndLength, bool> regular_;
  mutable std::map<TableAndLength, double> scattered_;
  mutable std::map<std::int64_t, double> lines_lost_;  ///< by depth
};

/// Of a cache line.
inline std::int64_t elements_per_line(Precision precision) {
  constexpr std::int64_t line_bytes = 64;
  return line_bytes / element_bytes(precision);
}

/// Whether the first two are neighbours in memory (or there is one only).
bool starts_at_unit_step(const std::vector<std::int64_t>& offsets);

}  // namespace flopcast::contract
