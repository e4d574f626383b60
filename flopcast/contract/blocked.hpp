#pragma once

#include <complex>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "flopcast/contract/along_batch.hpp"
#include "flopcast/contract/execute.hpp"
#include "flopcast/contract/folded.hpp"
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

/// One member of the planner's family: tiles of the folded M, N and K. Loops run over batch, N, K and M from the outside in. For gemm a
/// tile of A or B that BLAS can take where it lies is used in place, any other is packed: B's once per tile of N and K, whatever the number
/// of threads, A's once per product; C's tile is updated in place or, where it is no matrix of BLAS, through a buffer. The panel kernel takes
/// every panel of a few rows or columns in place that it can, and packs the others. Tiles as long as an index of the notation give the
/// paper's loops over gemm; one tile of everything gives transpose-transpose-gemm-transpose.
struct Blocking {
  std::int64_t m = 1, n = 1, k = 1;  ///< lengths of the tiles
  TileKernel kernel = TileKernel::gemm;
  int threads = 1;                      ///< share the tiles of M and N (and the batch)
  bool pack_a = false, pack_b = false;  ///< panel kernel: pack also what it could take where it lies
  /// A and B will be one tensor and C symmetric: tiles above the diagonal aren't computed, but mirrored.
  bool mirrored = false;
  RowOrder rows = RowOrder::as_c;  ///< as C has them, where there is no other order
  friend bool operator==(const Blocking&, const Blocking&) = default;
};
std::string to_string(const Blocking& blocking);

/// How many times as fast as one thread several are that take one tile of `length` after the other: one may have the last tile to itself.
double speedup_of(int threads, double extent, double length);

/// Whether every thread takes tiles of N (over all of the batch) for itself, with all of M and K: where there are so many that none waits
/// long for the last one's end, or no longer than if threads shared tiles of M, which they do otherwise.
bool shares_columns(const Folded& folded, const Blocking& blocking);

/// What parts of a run took.
struct PartTimes {
  Seconds pack_a = 0, pack_b = 0;  ///< of the folded contraction's A and B
  Seconds rest = 0;                ///< multiplying, which reads what isn't packed where it lies, and writing C
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
  /// The same on the calling thread alone, as a sample of one thread's work; says how long its parts took.
  PartTimes run_timed(const void* a, const void* b, void* c, std::complex<double> alpha, std::complex<double> beta,
                      const machine::WallClock& clock) const;
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

  template <class Element>
  Worker<Element> make_worker(const Element* a, const Element* b, Element* c, Element alpha, Element beta) const;
  template <class Element, class After>
  void do_unit(Worker<Element>& worker, std::size_t unit, After&& after) const;
  template <class Element>
  void share_units(std::vector<Worker<Element>>& workers, std::size_t units) const;
  template <class Element>
  void share_tiles(std::vector<Worker<Element>>& workers, std::size_t units) const;

  struct Buffers;  ///< of threads, kept for the next run

  void require_streamable() const;
  [[nodiscard]] std::size_t first_row_tile(const Tile& columns) const;
  void make_panels();
  [[nodiscard]] std::string packed_in_panels() const;
  [[nodiscard]] std::string letters(bool left, bool right, bool result) const;

  Folded folded_;
  Blocking blocking_;
  kernel::Function gemm_ = nullptr;
  kernel::Function gemv_ = nullptr;  ///< for tiles of C that are one element; null if there is none: gemm, then
  bool packs_b_ = false;             ///< of the folded product some tile
  bool takes_turns_ = false;         ///< gemm may be called by one thread at a time only
  std::vector<Tile> m_, n_, k_;
  std::vector<std::vector<RowPanel>> row_panels_;         ///< of every tile of M, for the panel kernel
  std::vector<PackingOrder> packing_orders_;              ///< likewise
  std::vector<std::vector<ColumnPanel>> column_panels_;   ///< of every tile of N
  std::optional<AlongBatch> along_batch_;                 ///< the batch kernel does all of it
  std::int64_t a_bytes_ = 0, b_bytes_ = 0, c_bytes_ = 0;  ///< a thread's buffers
  std::shared_ptr<Buffers> buffers_;
};

/// Tiles of a folded dimension.
std::vector<Blocked::Tile> tiles(const Fold& fold, std::int64_t length);

}  // namespace flopcast::contract
