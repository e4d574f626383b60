#pragma once

#include <cstdint>

#include "flopcast/contract/kernels/panel_kernel.hpp"
#include "flopcast/contract/notation/contraction.hpp"

namespace flopcast::contract {

/// Computes a batch whose elements are `a_step`, `b_step` and `c_step` apart in A, B and C, one product after the other. T may be complex.
template <class T>
void run_strided_batch(const BatchProduct<T>& x, std::int64_t a_step, std::int64_t b_step, std::int64_t c_step) {
  for (std::int64_t at = 0; at < x.count; ++at) {
    const T* const a = x.a + at * a_step;
    const T* const b = x.b + at * b_step;
    T* const c = x.c + at * c_step;
    for (std::int64_t j = 0; j < x.columns; ++j) {
      for (std::int64_t i = 0; i < x.rows; ++i) {
        T sum{};
        for (std::int64_t p = 0; p < x.depth; ++p) {
          sum += a[x.a_rows[i] + x.a_depth[p]] * b[x.b_depth[p] + x.b_columns[j]];
        }
        T& result = c[x.c_rows[i] + x.c_columns[j]];
        result = x.beta == T(0) ? x.alpha * sum : x.alpha * sum + x.beta * result;
      }
    }
  }
}

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
