#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <type_traits>

#include "flopcast/contract/panel_kernel.hpp"

namespace flopcast::contract {

/// A matrix whose rows and columns lie anywhere: element (i, j) is from[row[i] + column[j]].
template <class Element>
struct DenseSource {
  const Element* from;
  const std::int64_t* row;
  std::int64_t rows;
  const std::int64_t* column;
  std::int64_t columns;
};

/// Columns [begin, end) of a matrix whose columns are closer to each other than its rows. Real numbers are transposed in registers, four rows
/// by four columns at a time, where columns are neighbours.
template <class Element>
void pack_strip(const DenseSource<Element>& x, std::int64_t begin, std::int64_t end, Element* to) {
  std::int64_t done = 0;  // rows
  if constexpr (std::is_floating_point_v<Element>) {
    constexpr std::int64_t side = Square::side;
    const auto* const last = x.column + end - 1;
    const bool whole = (end - begin) % side == 0 &&
                       std::adjacent_find(x.column + begin, last + 1, [](auto one, auto next) { return next != one + 1; }) == last + 1;
    const auto& kernel = panel_kernels<Element>().front();
    for (; whole && done + side <= x.rows; done += side) {
      std::array<Square, 4> squares;
      std::int64_t count = 0;
      for (std::int64_t j = begin; j < end; j += side, ++count) {
        for (std::int64_t k = 0; k < side; ++k) {
          squares[static_cast<std::size_t>(count)].from[k] = x.row[done + k] + x.column[j];
          squares[static_cast<std::size_t>(count)].to[k] = done + (j + k) * x.rows;
        }
      }
      kernel.transpose(squares.data(), count, x.from, to);
    }
  }
  for (std::int64_t i = done; i < x.rows; ++i) {
    const Element* const source = x.from + x.row[i];
    for (std::int64_t j = begin; j < end; ++j) {
      to[i + j * x.rows] = source[x.column[j]];
    }
  }
}

/// Into a dense column-major matrix, reading along whichever of rows and columns has the smaller steps.
template <class Element>
void pack_dense(const DenseSource<Element>& x, Element* to) {
  const auto first_step = [](const std::int64_t* offsets, std::int64_t count) {
    return count > 1 ? std::abs(offsets[1] - offsets[0]) : std::int64_t{1} << 60;
  };
  if (first_step(x.row, x.rows) <= first_step(x.column, x.columns)) {
    for (std::int64_t j = 0; j < x.columns; ++j) {
      const Element* const source = x.from + x.column[j];
      for (std::int64_t i = 0; i < x.rows; ++i) {
        to[i + j * x.rows] = source[x.row[i]];
      }
    }
    return;
  }
  constexpr std::int64_t strip = 4 * Square::side;  // columns at a time, so that lines of both sides stay in L1
  for (std::int64_t begin = 0; begin < x.columns; begin += strip) {
    pack_strip(x, begin, std::min(begin + strip, x.columns), to);
  }
}

}  // namespace flopcast::contract
