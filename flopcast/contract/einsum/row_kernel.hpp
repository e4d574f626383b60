#pragma once

#include <complex>
#include <cstdint>

namespace flopcast::contract {

/// Loops over contiguous rows of `count` elements for one instruction set and one type of elements: R or, for complex elements, pairs of R.
/// Pointers are to numbers of type R. `conjugate` is ignored for real elements.
template <class R>
struct RowKernel {
  /// result += sum of a; one element.
  void (*sum)(std::int64_t count, const R* a, R* result) = nullptr;
  /// result += sum of op(a) b; one element.
  void (*dot)(std::int64_t count, const R* a, const R* b, bool conjugate_a, R* result) = nullptr;
  /// sums += a.
  void (*add)(std::int64_t count, const R* a, R* sums) = nullptr;
  /// sums += op(a) b, or sums := op(a) b.
  void (*multiply)(std::int64_t count, const R* a, const R* b, bool conjugate_a, bool adds, R* sums) = nullptr;
  /// sums += op(x) factor, or sums := op(x) factor.
  void (*scale)(std::int64_t count, const R* x, const R* factor, bool conjugate_x, bool adds, R* sums) = nullptr;
  /// c := alpha op(x) + beta c. Without `adds`, c isn't read. c and x may be the same row.
  void (*combine)(std::int64_t count, const R* x, bool conjugate_x, const R* alpha, const R* beta, bool adds, R* c) = nullptr;
  /// to(j, i) := from(i, j) for `rows` rows and `columns` columns; from(i, j) stands `i from_step + j` elements after the first one, to(j, i)
  /// `j to_step + i`.
  void (*transpose)(std::int64_t rows, std::int64_t columns, const R* from, std::int64_t from_step, R* to, std::int64_t to_step) = nullptr;
};

/// The type of the numbers that elements of type T consist of.
template <class T>
struct NumberOfElement {
  using type = T;
};
template <class R>
struct NumberOfElement<std::complex<R>> {
  using type = R;
};

/// The kernels of one instruction set.
struct RowKernels {
  RowKernel<float> s, c;
  RowKernel<double> d, z;
};

/// Return the kernels of one instruction set; their pointers are null if the compiler doesn't support the instruction set.
RowKernels avx512_rows() noexcept;
RowKernels avx2_rows() noexcept;
RowKernels baseline_rows() noexcept;

/// Returns the kernels for the widest vectors that this CPU has.
const RowKernels& row_kernels();

}  // namespace flopcast::contract
