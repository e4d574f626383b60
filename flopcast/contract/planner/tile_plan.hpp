#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

#include "flopcast/contract/notation/contraction.hpp"
#include "flopcast/contract/planner/panels.hpp"
#include "flopcast/contract/planner/tiling.hpp"

namespace flopcast::contract {

/// A part of a folded dimension, with the constant step between its elements in each tensor that has the dimension (0: no constant step).
struct Tile {
  std::int64_t first = 0, length = 0;
  std::int64_t step_a = 0, step_b = 0, step_c = 0;
};

/// Splits a folded dimension into tiles of `length`; the last tile may be shorter.
std::vector<Tile> tiles(const Fold& fold, std::int64_t length);

using TileAt = PerLoop<std::size_t>;

/// A range of tiles of each dimension in one element of the batch: one thread's unit of work.
struct WorkUnit {
  std::int64_t batch = 0;
  std::size_t part = 0;  ///< number of the part in its element of the batch
  TileAt first, last;    ///< `last` is one past the end
};

/// A thread's buffers for one operand.
struct Slots {
  std::int64_t bytes = 0;  ///< bytes of one buffer; 0: no buffers
  std::size_t count = 1;
  TileAt step;
  [[nodiscard]] std::size_t of(const TileAt& at) const { return at.m() * step.m() + at.n() * step.n() + at.k() * step.k(); }
  [[nodiscard]] std::int64_t all_bytes() const { return bytes * static_cast<std::int64_t>(count); }
};

/// The number of tiles of A and B that a run took from their tensors (packing them if necessary), and of tiles of C that it wrote from
/// buffers.
struct TileMoves {
  std::int64_t a = 0, b = 0, c = 0;
  friend bool operator==(const TileMoves&, const TileMoves&) = default;
};

/// Where the sums go that a split-K tiling collects in buffers: offsets of C's rows, columns and elements of the batch.
struct SplitResult {
  std::vector<std::int64_t> rows, columns, batch;
  /// Returns the number of elements of C, which each part's buffer holds.
  [[nodiscard]] std::int64_t elements() const { return std::ssize(rows) * std::ssize(columns) * std::ssize(batch); }
};

/// The tiles of a contraction, the buffers that they need, and their distribution over threads.
struct TilePlan {
  Folded folded;  ///< with M in the tiling's order
  Tiling tiling;  ///< without settings that have no effect
  std::vector<Tile> m, n, k;
  TileAt counts;  ///< number of tiles
  Sharing sharing = Sharing::columns;
  std::array<TileLoop, 3> loops = {};                   ///< the loops, the outermost first
  std::size_t parts = 0;                                ///< parts of an element of the batch that the threads share
  std::vector<std::size_t> first_rows;                  ///< for each tile of N, the first tile of M that must be computed beside it
  std::vector<std::vector<RowPanel>> row_panels;        ///< panels of every tile of M, for the panel kernel
  std::vector<PackingOrder> packing_orders;             ///< packing order of every tile of M, for the panel kernel
  std::vector<std::vector<ColumnPanel>> column_panels;  ///< panels of every tile of N, for the panel kernel
  Slots a_slots, b_slots, c_slots;
  bool packs_b = false;  ///< some tile of the folded B is packed
  bool sums_up = false;  ///< a buffer of C takes the whole sum over K
  /// Set if the threads share K. `folded` then has dense tables of C, for one part's sums.
  std::optional<SplitResult> split;

  /// Returns the letters of the tensors of which some tile must pass through a buffer.
  [[nodiscard]] std::string packed() const;
  /// Returns the bytes of one thread's buffers.
  [[nodiscard]] std::int64_t buffer_bytes() const { return a_slots.all_bytes() + b_slots.all_bytes() + c_slots.all_bytes(); }
  /// Returns the bytes of all parts' sums, if the threads share K.
  [[nodiscard]] std::int64_t split_bytes() const;
  [[nodiscard]] std::size_t units() const { return static_cast<std::size_t>(folded.batch.extent) * parts; }
  [[nodiscard]] WorkUnit unit(std::size_t number) const;
};

/// Replaces the offsets of C by those of a dense tensor with the rows of M next to each other, then the columns of N and the batch.
void make_result_dense(Folded& folded);

/// Plans the tiles. Throws bad_input if a tile is longer than 2^31 - 1 elements, if `tiling` is mirrored but C isn't symmetric, or if one of
/// flopcast's kernels is requested for a contraction that it can't compute.
TilePlan make_tile_plan(Folded folded, Tiling tiling);

}  // namespace flopcast::contract
