#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "flopcast/contract/planner/contraction_plan.hpp"
#include "flopcast/contract/planner/panels.hpp"
#include "flopcast/contract/planner/tiling.hpp"
#include "flopcast/contract/planner/time_formula.hpp"
#include "flopcast/core/environment.hpp"
#include "flopcast/support/division.hpp"
#include "flopcast/support/units.hpp"

namespace flopcast::contract {

/// Expected times of tilings of one contraction: tiles at their kernel's rates, packing, and transfers from memory and outer caches. The
/// formula is in docs/explanation/planner.md. Keeps references to the constructor's arguments.
class TimeModel {
 public:
  TimeModel(const Folded& folded, const Environment& environment, const TileRates& rates)
      : folded_(&folded), environment_(&environment), rates_(&rates), panel_(panel_size(folded.precision)) {}
  TimeModel(const Folded&, Environment&&, const TileRates&) = delete;  // temporaries would be gone
  TimeModel(const Folded&, const Environment&, TileRates&&) = delete;

  [[nodiscard]] ExpectedTime time(const Tiling& tiling) const;
  /// Returns true if nothing is packed.
  [[nodiscard]] bool is_in_place(const Tiling& tiling) const;
  /// Operands that pass through buffers of a tile.
  struct Packed {
    bool a = false, b = false, c = false;
  };
  [[nodiscard]] Packed what_is_packed(const Tiling& tiling) const;
  /// Declares that the contraction is part of one whose tensors have `bytes` bytes, which leaves its operands in the caches.
  void set_working_set(double bytes) { working_set_bytes_ = bytes; }
  /// Sets the number of threads that work at once and share the outer bandwidths; the tiling may be one thread's part. Without it the
  /// tiling's own threads count.
  void set_neighbours(int threads) { neighbours_ = threads; }
  /// Bytes of all tensors' elements.
  [[nodiscard]] double working_set_bytes() const;
  /// Returns true if all tiles of this length have a constant step inside; `offsets` is one of the contraction's tables. Computed once for
  /// each table and length.
  [[nodiscard]] bool is_regular(const std::vector<std::int64_t>& offsets, std::int64_t length) const;

 private:
  /// Seconds for packing or buffering an element, on average over all products of one tile of K.
  struct Packing {
    Seconds a = 0, b = 0, c = 0;
  };
  [[nodiscard]] Packing packing(const Tiling& tiling) const;
  /// Part of a folded dimension in a tensor.
  struct DimensionPart {
    const std::vector<std::int64_t>& offsets;
    std::int64_t length;
  };
  /// Sets how often an operand is packed and read again because of the loop over tiles that doesn't move it, and from where.
  void set_turns(TiledWork::OperandWork& operand, const Tiling& tiling, TileLoop without, bool keeps) const;
  /// Speed-up of the threads, which take tiles of N, or of M, as TiledContraction::run distributes them.
  [[nodiscard]] double at_once_of(const Tiling& tiling) const;
  [[nodiscard]] bool packs_some_of_b(const Tiling& tiling) const;
  /// Times of the memory, whose outer bandwidths others share with a tiling of `threads` threads.
  [[nodiscard]] MemoryTimes memory_beside(int threads) const {
    return {*environment_, *rates_, neighbours_ > 0 ? neighbours_ : std::max(1, threads)};
  }
  [[nodiscard]] TiledWork work_of(const Tiling& tiling) const;
  /// Adds what only the panel kernel does.
  void add_panels(const Tiling& tiling, TiledWork& work) const;
  /// Number of lines of a panel of B's columns, read in place, that L1 loses until the next panel of A needs them, because too many of them
  /// belong to the same sets. Computed once for each depth.
  [[nodiscard]] double lines_lost(std::int64_t depth) const;
  [[nodiscard]] double lines_lost_of(std::int64_t depth) const;
  /// Length of the first run of a tile's sorted offsets that are `step` apart. Computed once.
  [[nodiscard]] std::int64_t run_of(const DimensionPart& side, std::int64_t step) const;
  /// Number of elements of an operand's tile that are neighbours in memory: along one side, and along the other where the run continues
  /// there.
  [[nodiscard]] std::int64_t run_of(const DimensionPart& rows, const DimensionPart& columns) const;
  /// Factor by which an operand takes longer to come from outside than its bytes would. Lines are fetched again if a tile needs only part
  /// of them, and each run begins before prefetchers follow it.
  [[nodiscard]] double fetching(const DimensionPart& rows, const DimensionPart& columns) const;
  /// Share of A's rows that panels can't read in place although most rows allow it. Computed once.
  [[nodiscard]] double scattered_share(const Tiling& tiling) const;
  /// Returns the panels of all rows. Computed once for each length of tiles.
  [[nodiscard]] const PanelCounts& row_panels(const Tiling& tiling) const;
  /// Rows (M) in the tiling's order.
  [[nodiscard]] const Fold& rows_of(const Tiling& tiling) const;
  [[nodiscard]] bool is_direct(const std::vector<std::int64_t>& rows, std::int64_t row_length, const std::vector<std::int64_t>& columns,
                               std::int64_t column_length) const;

  const Folded* folded_;
  const Environment* environment_;
  const TileRates* rates_;
  PanelSize panel_;
  double working_set_bytes_ = 0;  ///< 0: the contraction's own
  int neighbours_ = 0;            ///< 0: the tiling's threads
  using TableAndLength = std::pair<const std::int64_t*, std::int64_t>;
  mutable std::map<std::pair<TableAndLength, std::int64_t>, std::int64_t> runs_;  ///< index: table, length and step
  mutable std::map<TableAndLength, bool> regular_;
  mutable std::map<TableAndLength, double> scattered_;
  mutable std::map<TableAndLength, PanelCounts> row_panels_;
  mutable std::map<std::int64_t, double> lines_lost_;  ///< index: depth
};

/// Returns true if the first two offsets are neighbours in memory, or there is only one.
bool starts_at_unit_step(const std::vector<std::int64_t>& offsets);

}  // namespace flopcast::contract
