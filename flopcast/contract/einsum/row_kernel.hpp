#pragma once

#include <complex>
#include <cstddef>
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

/// Offsets of a block of elements in the tensors from and to which it is moved, in elements.
struct MovedBlock {
  std::int64_t from = 0, to = 0;
};

/// Contiguous rows of `count` elements, which will be read soon. Offsets are in elements.
struct RowsAhead {
  const void* first = nullptr;
  const std::int64_t* offsets = nullptr;
  std::int64_t rows = 0, count = 0;
};

/// Loops that move elements of one size without arithmetic, for one instruction set. Each loop does the same for `blocks` blocks. All offsets are
/// in elements.
struct MoveKernel {
  /// Copies contiguous rows of `count` elements. `from` and `to` may be the same if all offsets are.
  void (*rows)(std::size_t blocks, const MovedBlock* at, std::int64_t count, const void* from, void* to) = nullptr;
  /// The same past the caches; finish_streaming() must be called before other threads read the rows. Meanwhile, `ahead` is prefetched.
  void (*stream)(std::size_t blocks, const MovedBlock* at, std::int64_t count, const void* from, void* to,
                 const RowsAhead& ahead) = nullptr;
  /// Collects `count` elements, which have the offsets `from_of`, in contiguous rows.
  void (*table)(std::size_t blocks, const MovedBlock* at, std::int64_t count, const std::int64_t* from_of, const void* from,
                void* to) = nullptr;
  /// to(j, i) := from(i, j) for `rows` rows i and `columns` columns j. from(i, j) has the offset from_of[i] + j, to(j, i) the offset
  /// to_of[j] + i.
  void (*squares)(std::size_t blocks, const MovedBlock* at, std::int64_t rows, const std::int64_t* from_of, std::int64_t columns,
                  const std::int64_t* to_of, const void* from, void* to) = nullptr;
};

/// The kernels of one instruction set.
struct RowKernels {
  RowKernel<float> s, c;
  RowKernel<double> d, z;
  MoveKernel of4, of8, of16;  ///< for elements of so many bytes

  [[nodiscard]] const MoveKernel& moves(std::int64_t element_bytes) const {
    constexpr std::int64_t bytes_of_double = 8;
    return element_bytes < bytes_of_double ? of4 : element_bytes == bytes_of_double ? of8 : of16;
  }
};

/// Return the kernels of one instruction set; their pointers are null if the compiler doesn't support the instruction set.
RowKernels avx512_rows() noexcept;
RowKernels avx2_rows() noexcept;
RowKernels baseline_rows() noexcept;

/// Returns the kernels for the widest vectors that this CPU has.
const RowKernels& row_kernels();

}  // namespace flopcast::contract
