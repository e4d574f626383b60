#pragma once

#if defined(__AVX512F__)
#endif

/// The loops behind panel_kernels(), among them those of PanelKernel::transpose, for vectors of any width. One source file per instruction set
/// includes this file and is compiled for that set. These source files hold nothing but constant tables, and all functions are static. So no
/// code for wide vectors gets into functions that every CPU executes.
#include <immintrin.h>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "flopcast/contract/kernels/cache_lines.hpp"
#include "flopcast/contract/kernels/panel_kernel.hpp"
#include "flopcast/contract/kernels/vector_memory.hpp"

namespace flopcast::contract::transpose_loops {

/// Transposes squares element by element, on every CPU.
template <class T>
static void one_by_one(const Square* squares, std::int64_t count, const T* from, T* to) {
  for (const Square* square = squares; square != squares + count; ++square) {
    for (std::int64_t i = 0; i < Square::side; ++i) {
      for (std::int64_t j = 0; j < Square::side; ++j) {
        to[square->to[i] + j] = from[square->from[j] + i];
      }
    }
  }
}

/// Transposes squares in registers: pairs of rows are interleaved, then pairs of these pairs. `Four` is a vector of four numbers. The code
/// uses no arrays of vectors, which would lie in memory unless loops over them are unrolled.
template <class Four, class T>
static void in_registers(const Square* squares, std::int64_t count, const T* from, T* to) {
  static_assert(Square::side == 4);
  for (const Square* square = squares; square != squares + count; ++square) {
    const Four row0 = load<Four>(from + square->from[0]), row1 = load<Four>(from + square->from[1]);
    const Four row2 = load<Four>(from + square->from[2]), row3 = load<Four>(from + square->from[3]);
    const Four even01 = __builtin_shufflevector(row0, row1, 0, 4, 2, 6), odd01 = __builtin_shufflevector(row0, row1, 1, 5, 3, 7);
    const Four even23 = __builtin_shufflevector(row2, row3, 0, 4, 2, 6), odd23 = __builtin_shufflevector(row2, row3, 1, 5, 3, 7);
    store(to + square->to[0], __builtin_shufflevector(even01, even23, 0, 1, 4, 5));
    store(to + square->to[1], __builtin_shufflevector(odd01, odd23, 0, 1, 4, 5));
    store(to + square->to[2], __builtin_shufflevector(even01, even23, 2, 3, 6, 7));
    store(to + square->to[3], __builtin_shufflevector(odd01, odd23, 2, 3, 6, 7));
  }
}

}  // namespace flopcast::contract::transpose_loops

namespace flopcast::contract::panel_loops {

/// sum += rows * factor for all vectors of a column.
template <class Vector, class T, std::size_t... V>
[[gnu::always_inline]] static inline void add_column(Vector* sum, const Vector* rows, T factor, std::index_sequence<V...> /*vectors*/) {
  ((sum[V] += rows[V] * factor), ...);
}

/// C := alpha sum + beta C for all vectors of a column.
template <class Vector, class T, std::size_t... V>
[[gnu::always_inline]] static inline void update_column(const PanelProduct<T>& x, T* c, const Vector* sum,
                                                        std::index_sequence<V...> /*vectors*/) {
  constexpr std::size_t lanes = sizeof(Vector) / sizeof(T);
  if (x.beta == T(0)) {
    (store(c + V * lanes, sum[V] * x.alpha), ...);
  } else {
    (store(c + V * lanes, sum[V] * x.alpha + load<Vector>(c + V * lanes) * x.beta), ...);
  }
}

/// Returns whether single lanes of such vectors can be written.
template <class Vector>
static constexpr bool has_masks() {
#if defined(__AVX512F__)
  return sizeof(Vector) == 64;
#else
  return false;
#endif
}

/// Returns whether a column of this number of vectors contains whole lines.
template <class T>
[[gnu::always_inline]] static inline bool has_lines(const T* c, std::size_t vectors) {
  return vectors > 1 ? lies_along_lines(c) : begins_line(c);
}

#if defined(__AVX512F__)
[[gnu::always_inline]] static inline void stream(double* c, __m512d value) { _mm512_stream_pd(c, value); }
[[gnu::always_inline]] static inline void stream(float* c, __m512 value) { _mm512_stream_ps(c, value); }

[[gnu::always_inline]] static inline void store_lanes(double* c, __m512d value, unsigned mask) {
  _mm512_mask_storeu_pd(c, static_cast<__mmask8>(mask), value);
}
[[gnu::always_inline]] static inline void store_lanes(float* c, __m512 value, unsigned mask) {
  _mm512_mask_storeu_ps(c, static_cast<__mmask16>(mask), value);
}

/// Returns the vector that begins at lane `first` of two consecutive vectors.
[[gnu::always_inline]] static inline __m512d across(__m512d low, __m512d high, unsigned first) {
  const __m512i lanes = _mm512_set_epi64(7, 6, 5, 4, 3, 2, 1, 0);
  return _mm512_permutex2var_pd(low, _mm512_add_epi64(lanes, _mm512_set1_epi64(static_cast<long long>(first))), high);
}
[[gnu::always_inline]] static inline __m512 across(__m512 low, __m512 high, unsigned first) {
  const __m512i lanes = _mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
  return _mm512_permutex2var_ps(low, _mm512_add_epi32(lanes, _mm512_set1_epi32(static_cast<int>(first))), high);
}
#endif

/// C := alpha sum for all vectors of a column that has_lines(). Whole lines are written past the caches, the partial lines at both ends as
/// usual.
template <class Vector, class T, std::size_t... V>
[[gnu::always_inline]] static inline void stream_column(const PanelProduct<T>& x, T* c, const Vector* sum,
                                                        std::index_sequence<V...> /*vectors*/) {
#if defined(__AVX512F__)
  if constexpr (has_masks<Vector>()) {
    constexpr std::size_t lanes = sizeof(Vector) / sizeof(T), last = sizeof...(V) - 1;
    const Vector values[] = {sum[V] * x.alpha...};
    const auto before = static_cast<unsigned>(before_line(c));
    if (before == 0) {
      (stream(c + V * lanes, values[V]), ...);
      return;
    }
    // Stores that reach into streamed lines are ten times slower, even if a mask leaves those lanes out. So all stores here are aligned.
    const unsigned behind = (1U << (lanes - before)) - 1;
    constexpr unsigned all = (1U << lanes) - 1;
    T* const line = c + before;
    store_lanes(line - lanes, across(values[0], values[0], before), all & ~behind);
    (static_cast<void>(V < last && (stream(line + V * lanes, across(values[V], values[V < last ? V + 1 : V], before)), true)), ...);
    store_lanes(line + last * lanes, across(values[last], values[last], before), behind);
  }
#else
  static_cast<void>(x), static_cast<void>(c), static_cast<void>(sum);
#endif
}

/// C := alpha sum + beta C for the first x.rows of a column's `sums`.
template <class T>
[[gnu::always_inline]] static inline void update_some(const PanelProduct<T>& x, T* c, const T* sums) {
  for (std::int64_t i = 0; i < x.rows; ++i) {
    c[i] = x.beta == T(0) ? sums[i] * x.alpha : sums[i] * x.alpha + c[i] * x.beta;
  }
}

#if defined(__AVX512F__)
/// C := alpha sum + beta C for the lanes of `mask`; other lanes are neither read nor written.
[[gnu::always_inline]] static inline void update_lanes(double* c, __m512d sum, unsigned mask, double alpha, double beta) {
  const auto lanes = static_cast<__mmask8>(mask);
  __m512d value = _mm512_mul_pd(sum, _mm512_set1_pd(alpha));
  if (beta != 0) {
    value = _mm512_fmadd_pd(_mm512_maskz_loadu_pd(lanes, c), _mm512_set1_pd(beta), value);
  }
  _mm512_mask_storeu_pd(c, lanes, value);
}
[[gnu::always_inline]] static inline void update_lanes(float* c, __m512 sum, unsigned mask, float alpha, float beta) {
  const auto lanes = static_cast<__mmask16>(mask);
  __m512 value = _mm512_mul_ps(sum, _mm512_set1_ps(alpha));
  if (beta != 0) {
    value = _mm512_fmadd_ps(_mm512_maskz_loadu_ps(lanes, c), _mm512_set1_ps(beta), value);
  }
  _mm512_mask_storeu_ps(c, lanes, value);
}
#endif

/// Writes one piece of all columns, from the vectors with number V.
template <std::size_t V, class T, class Sums, std::size_t... J>
[[gnu::always_inline]] static inline void update_piece(const PanelProduct<T>& x, const RowPiece& piece, const std::int64_t* columns,
                                                       const Sums& sums, std::index_sequence<J...> /*columns*/) {
#if defined(__AVX512F__)
  const unsigned mask = (1U << static_cast<unsigned>(piece.end)) - (1U << static_cast<unsigned>(piece.first));
  T* const c = x.c + piece.offset;
  if (x.beta == T(0)) {
    (update_lanes(c + columns[J], sums[J][V], mask, x.alpha, T(0)), ...);
  } else {
    (update_lanes(c + columns[J], sums[J][V], mask, x.alpha, x.beta), ...);
  }
#else
  static_cast<void>(x), static_cast<void>(piece), static_cast<void>(columns), static_cast<void>(sums);
#endif
}

/// Writes the columns of C in the product's pieces.
template <class T, class Sums, std::size_t... V, std::size_t... J>
[[gnu::always_inline]] static inline void update_pieces(const PanelProduct<T>& x, std::int64_t first, const Sums& sums,
                                                        std::index_sequence<V...> /*vectors*/, std::index_sequence<J...> numbers) {
  const std::int64_t* const columns = x.c_columns + first;
  for (const RowPiece* piece = x.pieces; piece != x.pieces + x.piece_count; ++piece) {
    (static_cast<void>(piece->vector == static_cast<std::int64_t>(V) && (update_piece<V>(x, *piece, columns, sums, numbers), true)), ...);
  }
}

/// Prefetches the lines of C that a later panel writes, from column `first` on.
template <class Vector, class T, std::size_t... V, std::size_t... J>
[[gnu::always_inline]] static inline void ask_for_panel(const PanelProduct<T>& x, std::int64_t first, std::index_sequence<V...> /*vectors*/,
                                                        std::index_sequence<J...> /*columns*/) {
  constexpr auto rows = static_cast<std::int64_t>(sizeof...(V) * sizeof(Vector) / sizeof(T));
  const std::int64_t* const columns = x.c_ahead_columns + first;
  const bool streamed = has_masks<Vector>() && x.stream_c && x.beta == T(0);
  if (x.pieces_ahead != nullptr) {
    (ask_for_pieces(x.c_ahead + columns[J], x.pieces_ahead, x.piece_ahead_count), ...);
  } else {
    (ask_for_column(x.c_ahead + columns[J], rows, streamed), ...);
  }
}

/// Prefetches rows of A that are needed some columns later. A panel usually comes from L2, and waiting for it would cost a tenth of the
/// time.
template <class Vector, class T, std::size_t... V>
[[gnu::always_inline]] static inline void prefetch_rows(const T* a, std::index_sequence<V...> /*vectors*/) {
  (__builtin_prefetch(a + V * sizeof(Vector) / sizeof(T)), ...);
}

/// Prefetches a line that the next panel needs, but not into L1, which is full of the present panel's data.
template <class T>
[[gnu::always_inline]] static inline void prefetch_ahead(const T* line) {
  constexpr int to_read = 0, outside_of_l1 = 2;
  __builtin_prefetch(line, to_read, outside_of_l1);
}

/// Writes vectors to memory, one after the other.
template <class Vector, class T, std::size_t... V>
[[gnu::always_inline]] static inline void spill(T* to, const Vector* sum, std::index_sequence<V...> /*vectors*/) {
  (store(to + V * sizeof(Vector) / sizeof(T), sum[V]), ...);
}

/// Computes sizeof...(V) vectors of rows by sizeof...(J) columns, from column `first` of the product on; all sums stay in registers.
/// `packed` says that neighbours in a row of b are neighbours in memory. Sums leave their registers only at the end: the reason why this is
/// one function.
template <class Vector, class T, bool packed, std::size_t... V, std::size_t... J>
[[gnu::noinline]] static void product(const PanelProduct<T>& x, std::int64_t first, std::index_sequence<V...> vectors,
                                      std::index_sequence<J...> columns) {
  constexpr auto lanes = static_cast<std::int64_t>(sizeof(Vector) / sizeof(T));
  constexpr std::size_t height = sizeof...(V);
  constexpr std::int64_t columns_ahead = 8;
  Vector sums[sizeof...(J)][height] = {};
  const std::int64_t column_step = packed ? 1 : x.b_column_step;
  const bool is_whole = x.rows == static_cast<std::int64_t>(height) * lanes && x.pieces == nullptr;
  const bool streams = has_masks<Vector>() && x.stream_c && is_whole && x.beta == T(0) &&
                       (has_lines(x.c + x.c_columns[first + static_cast<std::int64_t>(J)], height) && ...);
  if (x.c_ahead != nullptr) {
    ask_for_panel<Vector>(x, first, vectors, columns);
  }
  const T* a = x.a;
  const T* b = x.b + first * column_step;
  const T* ahead = x.ahead != nullptr ? x.ahead : b;
  const auto multiply = [&](std::int64_t count, const T* next, std::int64_t next_step) __attribute__((always_inline)) {
    for (std::int64_t p = 0; p < count; ++p) {
      prefetch_rows<Vector>(next, vectors);
      prefetch_ahead(ahead);
      const Vector rows[height] = {load<Vector>(a + static_cast<std::int64_t>(V) * lanes)...};
      (add_column(sums[J], rows, b[static_cast<std::int64_t>(J) * column_step], vectors), ...);
      a += x.a_step;
      b += x.b_step;
      ahead += x.ahead_step;
      next += next_step;
    }
  };
  const std::int64_t before_last = x.depth > columns_ahead ? x.depth - columns_ahead : 0;
  multiply(before_last, a + columns_ahead * x.a_step, x.a_step);
  multiply(x.depth - before_last, x.a_next != nullptr ? x.a_next : x.a, x.a_next != nullptr ? x.a_next_step : x.a_step);
  if (streams) {
    (stream_column(x, x.c + x.c_columns[first + static_cast<std::int64_t>(J)], sums[J], vectors), ...);
    return;
  }
  if (is_whole) {
    (update_column(x, x.c + x.c_columns[first + static_cast<std::int64_t>(J)], sums[J], vectors), ...);
    return;
  }
  if constexpr (has_masks<Vector>()) {
    if (x.pieces != nullptr) {
      update_pieces(x, first, sums, vectors, columns);
      return;
    }
  }
  T spilled[sizeof...(J)][height * sizeof(Vector) / sizeof(T)];
  (spill(spilled[J], sums[J], vectors), ...);
  (update_some(x, x.c + x.c_columns[first + static_cast<std::int64_t>(J)], spilled[J]), ...);
}

/// Computes all columns, `width` at a time, then with smaller widths.
template <class Vector, class T, bool packed, std::size_t height, std::size_t width>
static void all_columns(const PanelProduct<T>& x) {
  std::int64_t done = 0;
  for (; done + static_cast<std::int64_t>(width) <= x.columns; done += static_cast<std::int64_t>(width)) {
    product<Vector, T, packed>(x, done, std::make_index_sequence<height>{}, std::make_index_sequence<width>{});
  }
  if constexpr (width > 1) {
    PanelProduct<T> rest = x;
    rest.b += done * (packed ? 1 : x.b_column_step);
    rest.c_columns += done;
    rest.c_ahead_columns += rest.c_ahead != nullptr ? done : 0;
    rest.columns -= done;
    if (rest.columns > 0) {
      all_columns<Vector, T, packed, height, width / 2>(rest);
    }
  }
}

/// Computes all rows, with no more vectors than the product has.
template <class Vector, class T, bool packed, std::size_t height, std::size_t width>
static void all_rows(const PanelProduct<T>& x) {
  constexpr auto lanes = static_cast<std::int64_t>(sizeof(Vector) / sizeof(T));
  if constexpr (height > 1) {
    if (x.rows <= static_cast<std::int64_t>(height - 1) * lanes) {
      all_rows<Vector, T, packed, height - 1, width>(x);
      return;
    }
  }
  all_columns<Vector, T, packed, height, width>(x);
}

template <class Vector, class T, std::size_t height, std::size_t width>
static void run(const PanelProduct<T>& x) {
  if (x.b_column_step == 1) {
    all_rows<Vector, T, true, height, width>(x);
  } else {
    all_rows<Vector, T, false, height, width>(x);
  }
}

template <class Vector, class T, std::size_t height, std::size_t width>
static constexpr PanelKernel<T> panel_kernel(std::string_view instructions, decltype(PanelKernel<T>::transpose) transpose,
                                             decltype(PanelKernel<T>::run_batch) run_batch) {
  constexpr auto lanes = static_cast<std::int64_t>(sizeof(Vector) / sizeof(T));
  return {instructions,
          static_cast<std::int64_t>(height) * lanes,
          static_cast<std::int64_t>(width),
          lanes,
          has_masks<Vector>(),
          has_masks<Vector>(),
          run<Vector, T, height, width>,
          transpose,
          run_batch};
}

}  // namespace flopcast::contract::panel_loops
