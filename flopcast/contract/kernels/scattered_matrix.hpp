#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <type_traits>

#include "flopcast/contract/kernels/cache_lines.hpp"
#include "flopcast/contract/kernels/panel_kernel.hpp"

namespace flopcast::contract {

/// A matrix with arbitrary offsets of rows and columns: element (i, j) is from[row[i] + column[j]].
template <class Element>
struct ScatteredMatrix {
  const Element* from = nullptr;
  const std::int64_t* row = nullptr;
  std::int64_t rows = 0;
  const std::int64_t* column = nullptr;
  std::int64_t columns = 0;
};

inline bool are_neighbours(const std::int64_t* offsets, std::int64_t count) {
  return std::adjacent_find(offsets, offsets + count, [](std::int64_t one, std::int64_t next) { return next != one + 1; }) ==
         offsets + count;
}

/// Returns the distance between the first two offsets, or a very large number for a single offset.
inline std::int64_t first_step(const std::int64_t* offsets, std::int64_t count) {
  return count > 1 ? std::abs(offsets[1] - offsets[0]) : std::int64_t{1} << 60;
}

/// Packs the rows of columns [begin, end), except for the last rows that are no whole group of four. Squares of four rows by four columns
/// are transposed in registers. Requires neighbouring columns, whose number is a multiple of four. Returns the number of packed rows.
template <class Element>
std::int64_t pack_squares(const ScatteredMatrix<Element>& x, std::int64_t begin, std::int64_t end, Element* to, std::int64_t height) {
  constexpr std::int64_t side = Square::side;
  constexpr std::size_t most = 32;
  const auto& kernel = panel_kernels<Element>().front();
  std::array<Square, most> squares;
  std::size_t count = 0;
  const auto transpose = [&] {
    kernel.transpose(squares.data(), static_cast<std::int64_t>(count), x.from, to);
    count = 0;
  };
  const std::int64_t whole_rows = x.rows / side * side;
  for (std::int64_t i = 0; i < whole_rows; i += side) {
    for (std::int64_t j = begin; j < end; j += side) {
      Square& square = squares[count++];
      for (std::int64_t k = 0; k < side; ++k) {
        square.from[k] = x.row[i + k] + x.column[j];
        square.to[k] = i + (j + k) * height;
      }
      if (count == most) {
        transpose();
      }
    }
  }
  transpose();
  return whole_rows;
}

/// Prefetches a column that is packed soon, because hardware prefetchers don't follow runs as short as a panel. Inlined, because GCC omits
/// calls of functions that do nothing but prefetch.
template <class Element>
[[gnu::always_inline]] inline void prefetch_column(const ScatteredMatrix<Element>& x, std::int64_t j) {
  const Element* const source = x.from + x.column[j];
  for (std::int64_t i = 0; i < x.rows; i += line_elements<Element>) {
    __builtin_prefetch(source + x.row[i]);
  }
  __builtin_prefetch(source + x.row[x.rows - 1]);
}

/// Prefetches the lines of columns [begin, end) of all rows. Inlined for the same reason.
template <class Element>
[[gnu::always_inline]] inline void prefetch_strip(const ScatteredMatrix<Element>& x, std::int64_t begin, std::int64_t end) {
  const std::int64_t step = are_neighbours(x.column + begin, end - begin) ? std::max<std::int64_t>(1, end - begin - 1) : 1;
  for (std::int64_t i = 0; i < x.rows; ++i) {
    for (std::int64_t j = begin; j < end; j += step) {
      __builtin_prefetch(x.from + x.row[i] + x.column[j]);
    }
  }
}

/// Packs element (i, j) into to[i + j height]. Reads along rows, which are closer to each other than columns.
template <class Element>
void pack_along(const ScatteredMatrix<Element>& x, Element* to, std::int64_t height) {
  constexpr std::int64_t ahead = 12;
  const bool whole = are_neighbours(x.row, x.rows);
  for (std::int64_t j = 0; j < x.columns; ++j) {
    if (j + ahead < x.columns) {
      prefetch_column(x, j + ahead);
    }
    const Element* const source = x.from + x.column[j];
    Element* const target = to + j * height;
    if (whole) {
      std::copy_n(source + x.row[0], x.rows, target);
    } else {
      for (std::int64_t i = 0; i < x.rows; ++i) {
        target[i] = source[x.row[i]];
      }
    }
  }
}

/// Packs like pack_along() for columns that are closer to each other than rows, `strip` columns at a time. `next` is packed afterwards.
template <class Element>
void pack_across(const ScatteredMatrix<Element>& x, Element* to, std::int64_t height, std::int64_t strip,
                 const ScatteredMatrix<Element>& next) {
  constexpr std::int64_t strips_ahead = 4;  // a strip takes less time than memory needs to answer
  for (std::int64_t begin = 0; begin < x.columns; begin += strip) {
    const std::int64_t end = std::min(begin + strip, x.columns);
    const std::int64_t ahead = begin + strips_ahead * strip, behind = ahead - (x.columns + strip - 1) / strip * strip;
    if (ahead < x.columns) {
      prefetch_strip(x, ahead, std::min(ahead + strip, x.columns));
    } else if (behind < next.columns) {
      prefetch_strip(next, behind, std::min(behind + strip, next.columns));
    }
    std::int64_t done = 0;  // packed rows
    if constexpr (std::is_floating_point_v<Element>) {
      if ((end - begin) % Square::side == 0 && are_neighbours(x.column + begin, end - begin)) {
        done = pack_squares(x, begin, end, to, height);
      }
    }
    for (std::int64_t i = done; i < x.rows; ++i) {
      const Element* const source = x.from + x.row[i];
      for (std::int64_t j = begin; j < end; ++j) {
        to[i + j * height] = source[x.column[j]];
      }
    }
  }
}

/// Packs along rows or columns, whichever have the smaller steps. `next`, if any, is packed right afterwards.
template <class Element>
void pack(const ScatteredMatrix<Element>& x, Element* to, std::int64_t height, std::int64_t strip,
          const ScatteredMatrix<Element>& next = {}) {
  if (x.rows == 0) {
    return;
  }
  first_step(x.row, x.rows) <= first_step(x.column, x.columns) ? pack_along(x, to, height) : pack_across(x, to, height, strip, next);
}

/// Packs into a dense column-major matrix.
template <class Element>
void pack_dense(const ScatteredMatrix<Element>& x, Element* to) {
  constexpr std::int64_t strip = 4 * Square::side;  // lines of both sides stay in L1
  pack(x, to, x.rows, strip);
}

}  // namespace flopcast::contract
