#pragma once

#include <array>
#include <complex>
#include <cstdint>
#include <memory>
#include <vector>

#include "flopcast/contract/einsum/sum_tiles.hpp"
#include "flopcast/contract/einsum/transposition.hpp"
#include "flopcast/core/routine.hpp"
#include "flopcast/support/units.hpp"

namespace flopcast::contract {

/// C := alpha op(sum of op(A) B) + beta C, or without B: a copy, a transposition, a sum, an elementwise product, dot products.
struct SumProblem {
  Precision precision = Precision::d;
  std::vector<SumDimension> dimensions;  ///< not summed dimensions give C's elements addresses of their own
  bool has_b = false;
  bool conjugate_a = false;    ///< A is conjugated before the product; with B only
  bool conjugate_sum = false;  ///< the sum is conjugated
};

/// Sums of products of strided tensors without BLAS, for work that the memory limits. run() may be called from several threads at once, and
/// allocates no memory on one thread. Threads share the tiles of C; where there are too few, they share a summed dimension.
///
/// C is computed in tiles of the dimensions along which A and C are nearly contiguous, so that lines of both are used up before the caches
/// lose them. A tile passes through a buffer where A and C are contiguous along different dimensions.
class StridedSum {
 public:
  /// Prepares `problem` for at most `threads` threads; small problems use one. Throws bad_input if an extent is negative, or if more than 64
  /// dimensions remain after those that are one dimension in memory are fused.
  explicit StridedSum(const SumProblem& problem, int threads = 1);

  /// Without B, `b` is ignored. With beta = 0, C isn't read. A and C may be the same tensor, at the same address with the same strides,
  /// if nothing is summed.
  void run(const void* a, const void* b, void* c, std::complex<double> alpha, std::complex<double> beta) const;
  /// C := 0; A and B aren't read.
  void clear(void* c) const;

  /// Returns the number of products, or of added numbers without B.
  [[nodiscard]] double terms() const { return terms_; }
  [[nodiscard]] int threads() const { return threads_; }
  /// Returns the bytes of all tensors' elements, C's twice, because they are read before they are written.
  [[nodiscard]] double moved_bytes() const;
  /// Returns the time of run() where memory moves `bytes_per_second`: bytes of all tensors, and the work on elements and rows.
  [[nodiscard]] Seconds expected_seconds(double bytes_per_second) const;

 private:
  template <class T>
  friend class SumWorker;

  SumShape normalised(const SumProblem& problem);
  void split(const SumProblem& problem, int threads);
  void run_split(const void* a, const void* b, void* c, std::complex<double> alpha, std::complex<double> beta) const;
  template <class T>
  void run_as(const T* a, const T* b, T* c, T alpha, T beta, bool reads) const;

  Precision precision_;
  bool has_b_, conjugate_a_, conjugate_sum_;
  bool is_empty_ = false;               ///< C has no elements
  bool is_empty_sum_ = false;           ///< nothing is summed up
  std::array<std::int64_t, 3> base_{};  ///< offsets of the first elements, once C's strides are positive
  SumTiles tiles_;
  std::int64_t tile_count_ = 1;
  std::shared_ptr<const Transposition> transposition_;  ///< moves A to C where nothing is computed; null where something always is
  std::int64_t sum_count_ = 1;
  double terms_ = 1;
  std::array<double, 3> elements_{1, 1, 1};  ///< numbers of elements of A, B and C
  int threads_ = 1;
  struct Split;
  std::shared_ptr<const Split> split_;  ///< sums over parts of a summed dimension, one per thread; null unless threads share this dimension
};

}  // namespace flopcast::contract
