#pragma once

#include <cstdint>

#include "flopcast/contract/kernels/panel_kernel.hpp"
#include "flopcast/contract/kernels/vector_memory.hpp"

/// The loops behind PanelKernel::transpose. Included, like panel_loops.hpp, by one source file per instruction set.
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
