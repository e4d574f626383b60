#pragma once

#include <cstdint>

#include "flopcast/contract/notation/folded.hpp"

namespace flopcast::contract {

/// Computes many small products without tiles and without packing. If the numbers are real and neighbours in the batch are neighbours in
/// memory in all three tensors, vectors run along the batch. Otherwise one product follows the other. run() may be called from several
/// threads at once.
class AlongBatch {
 public:
  explicit AlongBatch(const Folded& folded);

  /// C := alpha A B + beta C on `threads` threads, for the contraction that the object was made for. The threads share the runs of the
  /// batch, or parts of long runs.
  template <class Element>
  void run(const Folded& folded, int threads, const Element* a, const Element* b, Element* c, Element alpha, Element beta) const;

 private:
  BatchRun run_;
  std::int64_t share_ = 1;  ///< products of a run that are computed at a time, as many as L2 holds
};

}  // namespace flopcast::contract
