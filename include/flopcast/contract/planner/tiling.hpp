#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "flopcast/contract/notation/contraction.hpp"

namespace flopcast::contract {

/// A loop over the tiles of one folded dimension.
enum class TileLoop : std::uint8_t { m, n, k };

/// One value for each of the three loops over M, N and K, such as a tile's number or a number of tiles.
template <class Value>
struct PerLoop {
  std::array<Value, 3> values = {};
  [[nodiscard]] Value& operator[](TileLoop loop) { return values[static_cast<std::size_t>(loop)]; }
  [[nodiscard]] const Value& operator[](TileLoop loop) const { return values[static_cast<std::size_t>(loop)]; }
  [[nodiscard]] const Value& m() const { return values[0]; }
  [[nodiscard]] const Value& n() const { return values[1]; }
  [[nodiscard]] const Value& k() const { return values[2]; }
};

/// The order of the loops over tiles, the outermost first. The loop over the batch is outside of all of them.
enum class LoopOrder : std::uint8_t { nkm, nmk, knm, kmn, mnk, mkn };
inline constexpr std::array<LoopOrder, 6> all_loop_orders = {LoopOrder::nkm, LoopOrder::nmk, LoopOrder::knm,
                                                             LoopOrder::kmn, LoopOrder::mnk, LoopOrder::mkn};

/// Returns the loops, the outermost first.
std::array<TileLoop, 3> loops_of(LoopOrder order);
std::string_view to_string(LoopOrder order);
/// Returns the order of this name, or nothing if no order has it.
std::optional<LoopOrder> loop_order(std::string_view name);
bool runs_inside(LoopOrder order, TileLoop inner, TileLoop outer);

/// Returns the number of tiles that the loops inside of `loop` go through.
template <class Value>
Value tiles_inside(LoopOrder order, TileLoop loop, const PerLoop<Value>& tiles) {
  Value all = 1;
  for (const TileLoop inner : {TileLoop::m, TileLoop::n, TileLoop::k}) {
    all *= runs_inside(order, inner, loop) ? tiles[inner] : 1;
  }
  return all;
}

/// For each operand, the loop that doesn't move its tiles.
inline constexpr TileLoop loop_without_a = TileLoop::n, loop_without_b = TileLoop::m, loop_without_c = TileLoop::k;

/// The kernel that multiplies a tile of A by a tile of B.
enum class TileKernel : std::uint8_t {
  gemm,       ///< the BLAS library's gemm
  panels,     ///< flopcast's kernel that keeps panels of C in registers: float and double
  streaming,  ///< flopcast's kernel that writes C past the caches; K is one tile
  /// flopcast's kernel for many small products, without tiles: vectors along a contiguous batch of real numbers, otherwise one product at a
  /// time
  batch
};
std::string_view to_string(TileKernel kernel);
/// Returns the kernel of this name, or nothing if no kernel has it.
std::optional<TileKernel> tile_kernel(std::string_view name);

/// One member of the planner's family: tiles of the folded M, N and K, and the order of the loops over the tiles, all inside of a loop over
/// the batch.
///
/// With gemm, a tile of A or B that BLAS can read in place stays there. Any other tile is packed when the loops reach a new one. C's tile
/// is updated in place or, if it is no BLAS matrix, through a buffer. The buffer takes the whole sum if the loop over K is innermost or
/// `keep_c` is set; otherwise it is added to C for each tile of K. The panel kernel reads a panel of a few rows or columns in place where
/// it can and packs the others.
///
/// Tiles as long as an index of the notation give the paper's loops over gemm. One tile for everything gives
/// transpose-transpose-gemm-transpose.
struct Tiling {
  std::int64_t m = 1, n = 1, k = 1;  ///< lengths of the tiles, in elements
  TileKernel kernel = TileKernel::gemm;
  int threads = 1;                      ///< threads that share the tiles of M and N (and the batch)
  bool pack_a = false, pack_b = false;  ///< panel kernel: pack also panels that it could read in place
  /// A and B are the same tensor and C is symmetric: tiles above the diagonal are mirrored instead of computed.
  bool mirrored = false;
  RowOrder rows = RowOrder::as_c;  ///< order of M's rows; as_c if the contraction has no other order
  LoopOrder order = LoopOrder::nkm;
  /// Keep all packed tiles of an operand that passes through a buffer. The operand then has one buffer for each of its tiles inside of the
  /// loop that doesn't move it. So each tile is packed (C: written back) once for all turns of that loop. In the order nkm, A is then
  /// packed once for all tiles of N.
  bool keep_a = false, keep_b = false, keep_c = false;
  /// Panel kernel: write whole lines of C past the caches, which saves reading them first, if they are overwritten by sums of one tile. The
  /// flag is dropped if the sum has several tiles or the CPU's vectors are shorter than cache lines.
  bool stream_c = false;
  /// Split-K: the threads share the tiles of K instead of those of M or N. Each thread sums its tiles up in a buffer, and the buffers are
  /// added at the end. For products whose sums are long and whose C is small.
  bool split_k = false;
  friend bool operator==(const Tiling&, const Tiling&) = default;
};
std::string to_string(const Tiling& tiling);
/// Returns `tiling` with no tile longer than its dimension.
Tiling fitted(const Folded& folded, Tiling tiling);
/// Returns the letters of the kept operands, such as "AC".
std::string kept_operands(const Tiling& tiling);
/// Keeps exactly the operands with these letters.
void keep_operands(Tiling& tiling, std::string_view letters);

/// Returns whether two tilings differ only in one length, in the packing of one operand, or in how C is written.
bool are_neighbours(const Tiling& x, const Tiling& y);

/// Reads tiles of M, N and K such as `96x512x64`, by gemm, or with a kernel behind them: `:gemm`, `:panels` or `:streaming`. Behind the
/// kernel there may be an order of rows (`:interleaved`, `:interleavedA`, `:A`), `:streamC`, `:splitK`, an order of the loops (`:nmk`), and
/// kept operands (`:keepAC`), each at most once. `whole` is one tile for everything, `batch` the batch kernel. Throws bad_input, which names
/// `what`.
Tiling parse_tiles(const std::string& text, int threads = 1, std::string_view what = "tiles");

/// Returns the text that parse_tiles() reads as these tiles, but for their threads.
std::string to_text(const Tiling& tiling);

/// Throws bad_input, which names `what`, if the contraction doesn't have the tiling's order of rows.
void require_row_order(const Tiling& tiling, const Contraction& contraction, std::string_view what = "tiles");

/// Returns the speed-up of `threads` threads that take tiles of `length` in turn along `extent`. One thread may have the last tile to
/// itself.
double speedup_of(int threads, double extent, double length);

/// The way in which threads share the work. Each thread takes tiles of N, or tiles of M of all elements of the batch, each with all of the
/// other dimensions. Or the threads pack one tile of B together, and then each takes tiles of M. Or each thread takes a part of the tiles of
/// K, with all of M and N.
enum class Sharing : std::uint8_t { columns, rows, together, sums };

/// Returns whether the threads of a split-K tiling have tiles of K to share.
bool splits_k(const Folded& folded, const Tiling& tiling);

/// Returns the sharing of K if the tiling splits it. Otherwise returns the sharing along the outermost of the loops over M and N if this loop has at least four tiles per thread, or leaves threads
/// waiting less than the other loop would. Otherwise the threads share tiles of M beside a common tile of B if M's loop is innermost, or
/// else share the other loop.
Sharing sharing_of(const Folded& folded, const Tiling& tiling);

/// Returns the number of tiles along each dimension, at least 1.
PerLoop<std::int64_t> tile_counts(const Folded& folded, const Tiling& tiling);

/// Returns whether a buffer takes the whole sum over K, if C passes through one.
bool writes_c_once(const Folded& folded, const Tiling& tiling);

}  // namespace flopcast::contract
