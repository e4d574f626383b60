#pragma once

#include <complex>
#include <cstdint>
#include <string>
#include <vector>

#include "flopcast/contract/execute.hpp"
#include "flopcast/contract/folded.hpp"

namespace flopcast::contract {

/// One member of the planner's family: tiles of the folded M, N and K. Loops run over batch, N, K and M from the outside in; a tile of A or B that BLAS can take
/// where it lies is used in place, any other is packed: B's once per tile of N and K, A's once per product. C's tile is updated in place or, where it is no
/// matrix of BLAS, through a buffer. Tiles as long as an index of the notation give the paper's loops over gemm; one tile of everything gives
/// transpose-transpose-gemm-transpose.
struct Blocking {
  std::int64_t m = 1, n = 1, k = 1;  ///< lengths of the tiles
  bool streaming = false;            ///< the streaming kernel instead of gemm; K is one tile
  int threads = 1;                   ///< share the tiles of M and N (and the batch)
  friend bool operator==(const Blocking&, const Blocking&) = default;
};
std::string to_string(const Blocking& blocking);

/// A blocking made ready for one contraction; run() may be called from several threads at once.
class Blocked {
 public:
  /// Throws environment_error if no library has gemm; bad_input if a tile has more than 2^31 - 1 elements along a side.
  Blocked(Folded folded, Blocking blocking, const FindRoutine& find);

  /// C := alpha A B + beta C. Throws environment_error, before touching C, if memory for packing isn't there.
  void run(const void* a, const void* b, void* c, std::complex<double> alpha, std::complex<double> beta) const;
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

  Folded folded_;
  Blocking blocking_;
  kernel::Function gemm_;
  std::vector<Tile> m_, n_, k_;
};

/// Tiles of a folded dimension.
std::vector<Blocked::Tile> tiles(const Fold& fold, std::int64_t length);

}  // namespace flopcast::contract
