#pragma once

#include <cstdint>

#include "flopcast/contract/panel_kernel.hpp"

/// The loops behind PanelKernel::transpose. Included, like panel_loops.hpp, by one source file per instruction set.
namespace flopcast::contract::transpose_loops {

/// For every CPU.
template <class T>
void one_by_one(const Square* squares, std::int64_t count, const T* from, T* to) {
  for (const Square* square = squares; square != squares + count; ++square) {
    for (std::int64_t i = 0; i < Square::side; ++i) {
      for (std::int64_t j = 0; j < Square::side; ++j) {
        to[square->to[i] + j] = from[square->from[j] + i];
      }
    }
  }
}

/// `Four` is a vector of as many numbers: pairs of rows are interleaved, then pairs of these.
template <class Four, class T>
void in_registers(const Square* squares, std::int64_t count, const T* from, T* to) {
  for (const Square* square = squares; square != squares + count; ++square) {
    Four row[Square::side];
    for (std::int64_t j = 0; j < Square::side; ++j) {
      __builtin_memcpy(&row[j], from + square->from[j], sizeof(Four));  // aligned to a number only
    }
    const Four even01 = __builtin_shufflevector(row[0], row[1], 0, 4, 2, 6), odd01 = __builtin_shufflevector(row[0], row[1], 1, 5, 3, 7);
    const Four even23 = __builtin_shufflevector(row[2], row[3], 0, 4, 2, 6), odd23 = __builtin_shufflevector(row[2], row[3], 1, 5, 3, 7);
    row[0] = __builtin_shufflevector(even01, even23, 0, 1, 4, 5);
    row[1] = __builtin_shufflevector(odd01, odd23, 0, 1, 4, 5);
    row[2] = __builtin_shufflevector(even01, even23, 2, 3, 6, 7);
    row[3] = __builtin_shufflevector(odd01, odd23, 2, 3, 6, 7);
    for (std::int64_t i = 0; i < Square::side; ++i) {
      __builtin_memcpy(to + square->to[i], &row[i], sizeof(Four));
    }
  }
}

}  // namespace flopcast::contract::transpose_loops
