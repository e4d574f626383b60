#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace flopcast::contract {

/// Rows of a panel that are neighbours in C and lie in one vector: lanes [first, end) of vector number `vector` go to where lane 0 would
/// begin at c[offset + c_columns[j]].
struct RowPiece {
  std::int64_t vector = 0, first = 0, end = 0;
  std::int64_t offset = 0;
};

/// C(i, j) := alpha sum over p of a(i, p) b(p, j) + beta C(i, j) for a few rows and columns of C. T is float or double.
template <class T>
struct PanelProduct {
  std::int64_t rows = 0, columns = 0, depth = 0;
  const T* a = nullptr;
  std::int64_t a_step = 0;  ///< a(i, p) = a[i + p a_step]; readable up to a whole vector of rows
  const T* b = nullptr;
  std::int64_t b_step = 0, b_column_step = 1;  ///< b(p, j) = b[p b_step + j b_column_step]
  T alpha = 1, beta = 0;
  T* c = nullptr;
  const std::int64_t* c_columns = nullptr;  ///< C(i, j) = c[i + c_columns[j]]; with beta = 0 what was there is not read
  /// Where rows go to otherwise, for kernels that take pieces (no std::span: its functions would be compiled for wide vectors too).
  const RowPiece* pieces = nullptr;
  std::int64_t piece_count = 0;
  /// What will be needed next: lines from here on are asked for along the sums, `ahead_step` elements further with every product.
  const T* ahead = nullptr;
  std::int64_t ahead_step = 0;
  const T* a_next =
      nullptr;  ///< likewise the first columns of A that the next product reads, `a_next_step` apart; null if that isn't known
  std::int64_t a_next_step = 0;
  /// Likewise C's lines of a panel of as many vectors and columns that is written later, with its own pieces; null: none.
  const T* c_ahead = nullptr;
  const std::int64_t* c_ahead_columns = nullptr;
  const RowPiece* pieces_ahead = nullptr;
  std::int64_t piece_ahead_count = 0;
  /// Write C past the caches where the kernel can, that is whole lines of it, if beta = 0.
  bool stream_c = false;
};

/// C(i, j) := alpha sum over p of a(i, p) b(p, j) + beta C(i, j) for so many elements of a batch, which are neighbours in all three tensors.
template <class T>
struct BatchProduct {
  std::int64_t count = 0;
  std::int64_t rows = 0, columns = 0, depth = 0;
  const T *a = nullptr,
          *b = nullptr;  ///< of the first element: a(i, p) = a[a_rows[i] + a_depth[p]], b(p, j) = b[b_depth[p] + b_columns[j]]
  T* c = nullptr;        ///< C(i, j) = c[c_rows[i] + c_columns[j]]; with beta = 0 what was there is not read
  const std::int64_t *a_rows = nullptr, *a_depth = nullptr;
  const std::int64_t *b_depth = nullptr, *b_columns = nullptr;
  const std::int64_t *c_rows = nullptr, *c_columns = nullptr;
  T alpha = T(1), beta = T(0);
};

/// Numbers to be transposed: number j of those at to[i] is number i of those at from[j]. Offsets in elements; numbers are neighbours.
struct Square {
  static constexpr std::int64_t side = 4;
  std::int64_t from[side], to[side];
};

/// A kernel that keeps a panel of C in registers while it runs along the sums, made for one instruction set.
template <class T>
struct PanelKernel {
  std::string_view instructions;
  std::int64_t rows = 0, columns = 0;  ///< of C at most
  std::int64_t lanes = 0;              ///< rows of a vector
  bool takes_pieces = false;           ///< writes vectors to C in pieces
  bool streams = false;                ///< a vector is a line of the cache, and may be written past the caches
  void (*run)(const PanelProduct<T>& product) = nullptr;
  /// Copies squares from one place to another, transposing them: for packing.
  void (*transpose)(const Square* squares, std::int64_t count, const T* from, T* to) = nullptr;
  /// Many small products, a vector of the batch at a time.
  void (*run_batch)(const BatchProduct<T>& product) = nullptr;
};

/// Those that this CPU can execute, the best first; never empty.
template <class T>
std::span<const PanelKernel<T>> panel_kernels();

template <>
std::span<const PanelKernel<float>> panel_kernels<float>();
template <>
std::span<const PanelKernel<double>> panel_kernels<double>();

}  // namespace flopcast::contract
