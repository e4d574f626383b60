#pragma once

#include <array>
#include <complex>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "flopcast/contract/along_batch.hpp"
#include "flopcast/contract/execute.hpp"
#include "flopcast/contract/folded.hpp"
#include "flopcast/contract/loop_order.hpp"
#include "flopcast/contract/panel_tiles.hpp"
#include "flopcast/core/units.hpp"
#include "flopcast/machine/clock.hpp"

namespace flopcast::contract {

template <class Element>
class Worker;

/// What multiplies a tile of A with a tile of B.
enum class TileKernel : std::uint8_t {
  gemm,       ///< the library's
  panels,     ///< ours, which keeps panels of C in registers: float and double
  streaming,  ///< ours, which writes C past the caches; K is one tile
  batch       ///< ours, for many small products, no tiles: a vector of a contiguous batch of real numbers at a time, others one by one
};
std::string_view name_of(TileKernel kernel);
/// The one of this name; nothing if there is none.
std::optional<TileKernel> tile_kernel(std::string_view name);

/// One member of the planner's family: tiles of the folded M, N and K, and the order of the loops over them, inside of one over the batch.
/// For gemm a tile of A or B that BLAS can take where it lies is used in place, any other is packed when the loops reach another one; C's
/// tile is updated in place or, where it is no matrix of BLAS, through a buffer, which takes all of the sum if the loop over K is innermost
/// (or if `keep_c`) and else is added to C for each tile of K. The panel kernel takes every panel of a few rows or columns in place that it
/// can, and packs the others. Tiles as long as an index of the notation give the paper's loops over gemm; one tile of everything gives
/// transpose-transpose-gemm-transpose.
struct Blocking {
  std::int64_t m = 1, n = 1, k = 1;  ///< lengths of the tiles
  TileKernel kernel = TileKernel::gemm;
  int threads = 1;                      ///< share the tiles of M and N (and the batch)
  bool pack_a = false, pack_b = false;  ///< panel kernel: pack also what it could take where it lies
  /// A and B will be one tensor and C symmetric: tiles above the diagonal aren't computed, but mirrored.
  bool mirrored = false;
  RowOrder rows = RowOrder::as_c;  ///< as C has them, where there is no other order
  LoopOrder order = LoopOrder::nkm;
  /// Of an operand that passes through a buffer: as many buffers as it has tiles inside of the loop that doesn't move it, so that each is
  /// packed (C's: written back) once for all turns of that loop. In the order nkm A is packed once for all tiles of N then.
  bool keep_a = false, keep_b = false, keep_c = false;
  /// Panel kernel: whole lines of C that are overwritten, by sums of one tile, are written past the caches, which saves reading them first.
  /// Dropped where the sum has several tiles, or the CPU's vectors are shorter than lines.
  bool stream_c = false;
  friend bool operator==(const Blocking&, const Blocking&) = default;
};
std::string to_string(const Blocking& blocking);
/// The same with no tile longer than there is to do.
Blocking fitted(const Folded& folded, Blocking blocking);
/// The letters of those that are kept.
std::string kept_operands(const Blocking& blocking);
/// Keeps the operands with these letters, and no others.
void keep_operands(Blocking& blocking, std::string_view letters);

/// How many times as fast as one thread several are that take one tile of `length` after the other: one may have the last tile to itself.
double speedup_of(int threads, double extent, double length);

/// What each thread takes for itself, with all of the other dimensions: tiles of N or of M (over all of the batch), or, of the same tile of
/// B that all have packed together, tiles of M.
enum class Sharing : std::uint8_t { columns, rows, together };

/// By the outermost of the loops over M and N, where it has so many tiles that no thread waits long for the last one's end, or less long than
/// by the other one.
Sharing sharing_of(const Folded& folded, const Blocking& blocking);

/// Tiles along each dimension, one at least.
PerLoop<std::int64_t> tile_counts(const Folded& folded, const Blocking& blocking);

/// Whether a buffer takes all of the sum, where C passes through one.
bool writes_c_once(const Folded& folded, const Blocking& blocking);

/// What parts of a run took.
struct PartTimes {
  Seconds pack_a = 0, pack_b = 0;  ///< of the folded contraction's A and B
  Seconds rest = 0;                ///< multiplying, which reads what isn't packed where it lies, and writing C
};

/// How often a run took a tile of A or B from its tensor (packing what must be), and wrote one of C from a buffer.
struct TileMoves {
  std::int64_t a = 0, b = 0, c = 0;
  friend bool operator==(const TileMoves&, const TileMoves&) = default;
};

/// A blocking made ready for one contraction; run() may be called from several threads at once.
class Blocked {
 public:
  /// Throws environment_error if gemm is wanted and no library has it; bad_input if a tile has more than 2^31 - 1 elements along a side, or
  /// if one of our own kernels is wanted for what it can't do.
  Blocked(Folded folded, Blocking blocking, const FindRoutine& find);

  /// C := alpha A B + beta C; a mirrored one requires a == b and beta = 0. Throws environment_error, before touching C, if memory for
  /// packing isn't there.
  void run(const void* a, const void* b, void* c, std::complex<double> alpha, std::complex<double> beta) const;
  /// The same on the calling thread alone, as a sample of one thread's work; says how long its parts took, and in `moves` what it moved.
  PartTimes run_timed(const void* a, const void* b, void* c, std::complex<double> alpha, std::complex<double> beta,
                      const machine::WallClock& clock, TileMoves* moves = nullptr) const;
  /// Bytes of packing buffers of all threads.
  [[nodiscard]] std::int64_t workspace_bytes() const;
  [[nodiscard]] const Blocking& blocking() const { return blocking_; }
  /// Which of A, B, C lie so that some tile of theirs must be packed.
  [[nodiscard]] std::string packed() const;

  /// Part of a folded dimension, and whether neighbours in it are a constant step apart (0: they aren't) in the tensors that have it.
  struct Tile {
    std::int64_t first = 0, length = 0;
    std::int64_t step_a = 0, step_b = 0, step_c = 0;
  };

 private:
  template <class Element>
  friend class Worker;

  using TileAt = PerLoop<std::size_t>;

  /// Some tiles of each dimension in one element of the batch, for one thread.
  struct Unit {
    std::int64_t batch = 0;
    TileAt first, last;  ///< behind the last one
  };

  /// A thread's buffers for one operand.
  struct Slots {
    std::int64_t bytes = 0;  ///< of one, 0 if there is none
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

  struct Buffers;  ///< of threads, kept for the next run

  void require_streamable() const;
  [[nodiscard]] std::size_t parts() const;
  void keep_tiles();
  void leave_out_upper_tiles();
  void make_panels();
  [[nodiscard]] std::string packed_in_panels() const;
  [[nodiscard]] std::string letters(bool left, bool right, bool result) const;

  Folded folded_;
  Blocking blocking_;
  kernel::Function gemm_ = nullptr;
  kernel::Function gemv_ = nullptr;  ///< for tiles of C that are one element; null if there is none: gemm, then
  bool packs_b_ = false;             ///< of the folded product some tile
  bool sums_up_ = false;             ///< a buffer of C takes all of the sum
  bool takes_turns_ = false;         ///< gemm may be called by one thread at a time only
  std::vector<Tile> m_, n_, k_;
  TileAt tiles_;  ///< how many
  Sharing sharing_ = Sharing::columns;
  std::array<TileLoop, 3> loops_ = {};                   ///< from the outside in
  std::size_t parts_ = 0;                                ///< of an element of the batch, which threads share
  std::vector<std::size_t> first_rows_;                  ///< for each tile of N the first one of M that has to be computed beside it
  std::vector<std::vector<RowPanel>> row_panels_;        ///< of every tile of M, for the panel kernel
  std::vector<PackingOrder> packing_orders_;             ///< likewise
  std::vector<std::vector<ColumnPanel>> column_panels_;  ///< of every tile of N
  std::optional<AlongBatch> along_batch_;                ///< the batch kernel does all of it
  Slots a_slots_, b_slots_, c_slots_;
  std::shared_ptr<Buffers> buffers_;
};

/// Tiles of a folded dimension.
std::vector<Blocked::Tile> tiles(const Fold& fold, std::int64_t length);

}  // namespace flopcast::contract
