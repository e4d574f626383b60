#pragma once

#include <array>
#include <complex>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "flopcast/contract/algorithms/execute.hpp"
#include "flopcast/contract/kernels/along_batch.hpp"
#include "flopcast/contract/notation/folded.hpp"
#include "flopcast/contract/planner/panel_tiles.hpp"
#include "flopcast/contract/planner/tiling.hpp"
#include "flopcast/machine/cpu/clock.hpp"
#include "flopcast/support/units.hpp"

namespace flopcast::contract {

template <class Element>
class Worker;

/// The times of the parts of a run.
struct PartTimes {
  Seconds pack_a = 0, pack_b = 0;  ///< packing the folded contraction's A and B
  Seconds rest = 0;                ///< multiplying, which includes reading unpacked operands in place, and writing C
};

/// The number of tiles of A and B that a run took from their tensors (packing them if necessary), and of tiles of C that it wrote from
/// buffers.
struct TileMoves {
  std::int64_t a = 0, b = 0, c = 0;
  friend bool operator==(const TileMoves&, const TileMoves&) = default;
};

/// A tiling prepared for one contraction. run() may be called from several threads at once.
class TiledContraction {
 public:
  /// Throws environment_error if gemm is requested and no library has it, or if the library's gemm fails a small check. Throws bad_input if
  /// a tile is longer than 2^31 - 1 elements, if `tiling` is mirrored but C isn't symmetric, or if one of flopcast's kernels is requested
  /// for a contraction that it can't compute.
  TiledContraction(Folded folded, Tiling tiling, const FindRoutine& find);

  /// C := alpha A B + beta C. A mirrored tiling requires a == b and beta = 0. Throws environment_error, before C is changed, if memory
  /// for packing isn't available.
  void run(const void* a, const void* b, void* c, std::complex<double> alpha, std::complex<double> beta) const;
  /// Runs like run(), but on the calling thread alone, as a sample of one thread's work. Returns the times of the parts, and the tile moves
  /// in `moves`.
  PartTimes run_timed(const void* a, const void* b, void* c, std::complex<double> alpha, std::complex<double> beta,
                      const machine::WallClock& clock, TileMoves* moves = nullptr) const;
  /// Returns the bytes of the packing buffers of all threads.
  [[nodiscard]] std::int64_t workspace_bytes() const;
  [[nodiscard]] const Tiling& tiling() const { return tiling_; }
  /// Returns the letters of the tensors of which some tile must pass through a buffer.
  [[nodiscard]] std::string packed() const;

  /// A part of a folded dimension, with the constant step between its elements in each tensor that has the dimension (0: no constant step).
  struct Tile {
    std::int64_t first = 0, length = 0;
    std::int64_t step_a = 0, step_b = 0, step_c = 0;
  };

 private:
  template <class Element>
  friend class Worker;

  using TileAt = PerLoop<std::size_t>;

  /// A range of tiles of each dimension in one element of the batch: one thread's unit of work.
  struct Unit {
    std::int64_t batch = 0;
    TileAt first, last;  ///< `last` is one past the end
  };

  /// A thread's buffers for one operand.
  struct Slots {
    std::int64_t bytes = 0;  ///< bytes of one buffer; 0: no buffers
    std::size_t count = 1;
    TileAt step;
    [[nodiscard]] std::size_t of(const TileAt& at) const { return at.m() * step.m() + at.n() * step.n() + at.k() * step.k(); }
    [[nodiscard]] std::int64_t all_bytes() const { return bytes * static_cast<std::int64_t>(count); }
  };

  template <class Element>
  Worker<Element> make_worker(const Element* a, const Element* b, Element* c, Element alpha, Element beta) const;
  [[nodiscard]] std::size_t units() const;
  [[nodiscard]] Unit unit(std::size_t number) const;
  template <class Element, class After>
  void do_unit(Worker<Element>& worker, const Unit& unit, After&& after) const;
  template <class Element>
  void share_units(std::vector<Worker<Element>>& workers) const;
  template <class Element>
  void share_tiles(std::vector<Worker<Element>>& workers) const;

  struct Buffers;  ///< the threads' buffers, kept for the next run

  void require_streamable() const;
  [[nodiscard]] std::size_t parts() const;
  void keep_tiles();
  void leave_out_upper_tiles();
  void make_panels();
  [[nodiscard]] std::string packed_in_panels() const;
  [[nodiscard]] std::string letters(bool left, bool right, bool result) const;

  Folded folded_;
  Tiling tiling_;
  kernel::Function gemm_ = nullptr;
  kernel::Function gemv_ = nullptr;  ///< for tiles of C of one element; null if the library has no correct gemv, in which case gemm is used
  bool packs_b_ = false;             ///< some tile of the folded B is packed
  bool sums_up_ = false;             ///< a buffer of C takes the whole sum over K
  bool takes_turns_ = false;         ///< gemm may be called by one thread at a time only
  std::vector<Tile> m_, n_, k_;
  TileAt tiles_;  ///< number of tiles
  Sharing sharing_ = Sharing::columns;
  std::array<TileLoop, 3> loops_ = {};                   ///< the loops, the outermost first
  std::size_t parts_ = 0;                                ///< parts of an element of the batch that the threads share
  std::vector<std::size_t> first_rows_;                  ///< for each tile of N, the first tile of M that must be computed beside it
  std::vector<std::vector<RowPanel>> row_panels_;        ///< panels of every tile of M, for the panel kernel
  std::vector<PackingOrder> packing_orders_;             ///< packing order of every tile of M, for the panel kernel
  std::vector<std::vector<ColumnPanel>> column_panels_;  ///< panels of every tile of N, for the panel kernel
  std::optional<AlongBatch> along_batch_;                ///< set if the batch kernel computes the whole contraction
  Slots a_slots_, b_slots_, c_slots_;
  std::shared_ptr<Buffers> buffers_;
};

/// Splits a folded dimension into tiles of `length`; the last tile may be shorter.
std::vector<TiledContraction::Tile> tiles(const Fold& fold, std::int64_t length);

}  // namespace flopcast::contract
