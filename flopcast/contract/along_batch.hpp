#pragma once

#include <cstdint>

#include "flopcast/contract/folded.hpp"

namespace flopcast::contract {

/// Many small products without tiles or packing: a vector of the batch at a time where neighbours of the batch lie next to each other in all
/// three tensors and the numbers are real, one product after the other elsewhere. run() may be called from several threads at once.
class AlongBatch {
 public:
  explicit AlongBatch(const Folded& folded);

  /// C := alpha A B + beta C, `folded` being what it was made for, by so many threads: they share runs of the batch, and parts of these where
  /// they are long.
  template <class Element>
  void run(const Folded& folded, int threads, const Element* a, const Element* b, Element* c, Element alpha, Element beta) const;

 private:
  BatchRun run_;
  std::int64_t share_ = 1;  ///< of a run, that are done at a time: what L2 holds
};

}  // namespace flopcast::contract
