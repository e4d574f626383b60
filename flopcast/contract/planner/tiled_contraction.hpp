#pragma once

#include <array>
#include <complex>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "flopcast/contract/algorithms/algorithm.hpp"
#include "flopcast/contract/kernels/along_batch.hpp"
#include "flopcast/contract/notation/contraction.hpp"
#include "flopcast/contract/planner/blas_kernels.hpp"
#include "flopcast/contract/planner/buffer_pool.hpp"
#include "flopcast/contract/planner/tile_plan.hpp"
#include "flopcast/contract/planner/tiling.hpp"
#include "flopcast/machine/cpu/clock.hpp"
#include "flopcast/support/units.hpp"

namespace flopcast::contract {

template <class Element>
class TileWorker;

/// The times of the parts of a run.
struct PartTimes {
  Seconds pack_a = 0, pack_b = 0;  ///< packing the folded contraction's A and B
  Seconds rest = 0;                ///< multiplying, which includes reading unpacked operands in place, and writing C
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
  /// Returns the bytes of the buffers of all threads, for packing and for sums over parts of K.
  [[nodiscard]] std::int64_t workspace_bytes() const { return plan_.buffer_bytes() * plan_.tiling.threads + plan_.split_bytes(); }
  [[nodiscard]] const Tiling& tiling() const { return plan_.tiling; }
  /// Returns the letters of the tensors of which some tile must pass through a buffer.
  [[nodiscard]] std::string packed() const { return plan_.packed(); }

 private:
  template <class Element>
  TileWorker<Element> make_worker(const Element* a, const Element* b, Element* c, Element alpha, Element beta) const;
  /// Calls `work(result, beta)`. Workers then compute result := alpha A B + beta result for their tiles. If the threads share K, they get a
  /// buffer and 0, and beta C plus the buffer's parts becomes C afterwards. Otherwise they get C and beta.
  template <class Element, class Work>
  void with_result(Element* c, Element beta, Work&& work) const;
  template <class Element, class After>
  void do_unit(TileWorker<Element>& worker, const WorkUnit& unit, After&& after) const;
  template <class Element>
  void share_units(std::vector<TileWorker<Element>>& workers) const;
  template <class Element>
  void share_tiles(std::vector<TileWorker<Element>>& workers) const;

  TilePlan plan_;
  BlasKernels blas_;                       ///< empty unless the kernel is gemm
  std::optional<AlongBatch> along_batch_;  ///< set if the batch kernel computes the whole contraction
  std::shared_ptr<BufferPool> buffers_;    ///< the threads' buffers
  std::shared_ptr<BufferPool> sums_;       ///< buffers for the sums of all parts of K; empty unless the threads share K
};

}  // namespace flopcast::contract
