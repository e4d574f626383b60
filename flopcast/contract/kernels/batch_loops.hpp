#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "flopcast/contract/kernels/panel_kernel.hpp"
#include "flopcast/contract/kernels/vector_memory.hpp"

/// The loops behind PanelKernel::run_batch. Included, like panel_loops.hpp, by one source file per instruction set.
namespace flopcast::contract::batch_loops {

template <class Vector, class T>
[[gnu::always_inline]] static inline void update(const BatchProduct<T>& x, T* c, Vector sum) {
  Vector value = sum * x.alpha;
  if (x.beta != T(0)) {
    value += load<Vector>(c) * x.beta;
  }
  store(c, value);
}

/// Computes sizeof...(I) x sizeof...(J) elements of C for one vector of the batch; all sums stay in registers.
template <class Vector, class T, std::size_t... I, std::size_t... J>
[[gnu::always_inline]] static inline void vector_of_tile(const BatchProduct<T>& x, std::int64_t at, const std::int64_t* a_rows,
                                                         const std::int64_t* c_rows, std::int64_t column,
                                                         std::index_sequence<I...> /*rows*/, std::index_sequence<J...> /*columns*/) {
  Vector sums[sizeof...(J)][sizeof...(I)] = {};
  const T* const a = x.a + at;
  const T* const b = x.b + at;
  for (std::int64_t p = 0; p < x.depth; ++p) {
    const T* const a_column = a + x.a_depth[p];
    const T* const b_row = b + x.b_depth[p];
    const Vector rows[sizeof...(I)] = {load<Vector>(a_column + a_rows[I])...};
    const auto add = [&](Vector* sum, const Vector& factor) { ((sum[I] += rows[I] * factor), ...); };
    (add(sums[J], load<Vector>(b_row + x.b_columns[column + static_cast<std::int64_t>(J)])), ...);
  }
  const auto finish = [&](T* c, const Vector* sum) { (update(x, c + c_rows[I], sum[I]), ...); };
  (finish(x.c + at + x.c_columns[column + static_cast<std::int64_t>(J)], sums[J]), ...);
}

/// Computes one tile of rows and columns for the whole batch, first in vectors, then the rest one by one.
template <class Vector, class T, std::size_t height, std::size_t width>
[[gnu::noinline]] static void tile(const BatchProduct<T>& x, std::int64_t row, std::int64_t column) {
  typedef T One [[gnu::vector_size(sizeof(T))]];
  constexpr auto lanes = static_cast<std::int64_t>(sizeof(Vector) / sizeof(T));
  constexpr auto rows = std::make_index_sequence<height>{};
  constexpr auto columns = std::make_index_sequence<width>{};
  std::int64_t at = 0;
  for (; at + lanes <= x.count; at += lanes) {
    vector_of_tile<Vector>(x, at, x.a_rows + row, x.c_rows + row, column, rows, columns);
  }
  for (; at < x.count; ++at) {
    vector_of_tile<One>(x, at, x.a_rows + row, x.c_rows + row, column, rows, columns);
  }
}

/// Computes the rows from `row` on, `height` at a time, then with smaller heights.
template <class Vector, class T, std::size_t height, std::size_t width>
static void all_rows(const BatchProduct<T>& x, std::int64_t row, std::int64_t column) {
  for (; row + static_cast<std::int64_t>(height) <= x.rows; row += static_cast<std::int64_t>(height)) {
    tile<Vector, T, height, width>(x, row, column);
  }
  if constexpr (height > 1) {
    all_rows<Vector, T, height / 2, width>(x, row, column);
  }
}

template <class Vector, class T, std::size_t height, std::size_t width>
static void all_columns(const BatchProduct<T>& x, std::int64_t column) {
  for (; column + static_cast<std::int64_t>(width) <= x.columns; column += static_cast<std::int64_t>(width)) {
    all_rows<Vector, T, height, width>(x, 0, column);
  }
  if constexpr (width > 1) {
    all_columns<Vector, T, height, width / 2>(x, column);
  }
}

template <class Vector, class T, std::size_t height, std::size_t width>
static void run(const BatchProduct<T>& x) {
  all_columns<Vector, T, height, width>(x, 0);
}

}  // namespace flopcast::contract::batch_loops
