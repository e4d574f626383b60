#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace flopcast::contract {

/// Rows of a panel that are neighbours in C and lie in one vector. Lanes [first, end) of vector number `vector` go to C such that lane 0
/// would be at c[offset + c_columns[j]].
struct RowPiece {
  std::int64_t vector = 0, first = 0, end = 0;
  std::int64_t offset = 0;
};

/// C(i, j) := alpha sum over p of a(i, p) b(p, j) + beta C(i, j) for a few rows and columns of C. T is float or double.
template <class T>
struct PanelProduct {
  std::int64_t rows = 0, columns = 0, depth = 0;
  const T* a = nullptr;
  std::int64_t a_step = 0;  ///< a(i, p) = a[i + p a_step]; whole vectors of rows are readable
  const T* b = nullptr;
  std::int64_t b_step = 0, b_column_step = 1;  ///< b(p, j) = b[p b_step + j b_column_step]
  T alpha = 1, beta = 0;
  T* c = nullptr;
  const std::int64_t* c_columns = nullptr;  ///< C(i, j) = c[i + c_columns[j]]; with beta = 0 C is not read
  /// Destinations of the rows instead of c, for kernels that take pieces. No std::span, whose functions would be compiled for wide vectors
  /// too.
  const RowPiece* pieces = nullptr;
  std::int64_t piece_count = 0;
  /// Start of data that will be needed next, or null: their lines are prefetched along the sums, `ahead_step` elements further with every
  /// product.
  const T* ahead = nullptr;
  std::int64_t ahead_step = 0;
  const T* a_next = nullptr;  ///< first columns of A that the next product reads, `a_next_step` apart; null if unknown
  std::int64_t a_next_step = 0;
  /// Panel of C that is written later, of the same numbers of vectors and columns and with its own pieces, whose lines are prefetched;
  /// null: none.
  const T* c_ahead = nullptr;
  const std::int64_t* c_ahead_columns = nullptr;
  const RowPiece* pieces_ahead = nullptr;
  std::int64_t piece_ahead_count = 0;
  /// Write whole lines of C past the caches where the kernel can, if beta = 0.
  bool stream_c = false;
};

/// C(i, j) := alpha sum over p of a(i, p) b(p, j) + beta C(i, j) for `count` elements of a batch, which are neighbours in all three
/// tensors.
template <class T>
struct BatchProduct {
  std::int64_t count = 0;
  std::int64_t rows = 0, columns = 0, depth = 0;
  const T *a = nullptr,
          *b = nullptr;  ///< first element's matrices: a(i, p) = a[a_rows[i] + a_depth[p]], b(p, j) = b[b_depth[p] + b_columns[j]]
  T* c = nullptr;        ///< C(i, j) = c[c_rows[i] + c_columns[j]]; with beta = 0 C is not read
  const std::int64_t *a_rows = nullptr, *a_depth = nullptr;
  const std::int64_t *b_depth = nullptr, *b_columns = nullptr;
  const std::int64_t *c_rows = nullptr, *c_columns = nullptr;
  T alpha = T(1), beta = T(0);
};

/// A square of numbers to transpose: number j at to[i] is set to number i at from[j]. Offsets are in elements; the numbers at each offset
/// are contiguous.
struct Square {
  static constexpr std::int64_t side = 4;
  std::int64_t from[side], to[side];
};

/// A kernel for one instruction set that keeps a panel of C in registers while it runs along the sums.
template <class T>
struct PanelKernel {
  std::string_view instructions;
  std::int64_t rows = 0, columns = 0;  ///< largest numbers of rows and columns of C
  std::int64_t lanes = 0;              ///< number of rows in a vector
  bool takes_pieces = false;           ///< can write vectors to C in pieces
  bool streams = false;                ///< a vector is a cache line and can be written past the caches
  void (*run)(const PanelProduct<T>& product) = nullptr;
  /// Copies and transposes squares; used for packing.
  void (*transpose)(const Square* squares, std::int64_t count, const T* from, T* to) = nullptr;
  /// Computes many small products, one vector of the batch at a time.
  void (*run_batch)(const BatchProduct<T>& product) = nullptr;
};

/// Returns the kernels that this CPU can execute, the best first; never empty.
template <class T>
std::span<const PanelKernel<T>> panel_kernels();

template <>
std::span<const PanelKernel<float>> panel_kernels<float>();
template <>
std::span<const PanelKernel<double>> panel_kernels<double>();

/// The kernels of one instruction set; `run` is null if the compiler doesn't support the instruction set.
struct PanelKernels {
  PanelKernel<float> in_float;
  PanelKernel<double> in_double;
};

PanelKernels avx512_panels() noexcept;
PanelKernels avx2_panels() noexcept;
PanelKernels baseline_panels() noexcept;

}  // namespace flopcast::contract
