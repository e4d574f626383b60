#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <mutex>

#include "flopcast/contract/algorithms/algorithm.hpp"

namespace flopcast::contract {

/// Integers of BLAS.
using Integer = std::int32_t;
using Gemm = void (*)(const char*, const char*, const Integer*, const Integer*, const Integer*, const void*, const void*, const Integer*,
                      const void*, const Integer*, const void*, void*, const Integer*, std::size_t, std::size_t);

using Gemv = void (*)(const char*, const Integer*, const Integer*, const void*, const void*, const Integer*, const void*, const Integer*,
                      const void*, void*, const Integer*, std::size_t);

/// A matrix operand of gemm.
template <class Pointer>
struct GemmOperand {
  Pointer data = nullptr;
  std::int64_t leading_dimension = 1;
  bool transposed = false;
};

/// Returns whether rows and columns with these steps form a BLAS matrix, and fills `matrix`. A matrix with rows and columns exchanged is
/// marked as transposed.
template <class Pointer>
bool in_place(Pointer data, std::int64_t rows, std::int64_t row_step, std::int64_t columns, std::int64_t column_step,
              GemmOperand<Pointer>& matrix) {
  constexpr std::int64_t most = std::numeric_limits<Integer>::max();
  const auto fits = [&](std::int64_t unit, std::int64_t height, std::int64_t other, std::int64_t width) {
    return (unit == 1 || height == 1) && (other >= height || width == 1) && other > 0 && other <= most;
  };
  if (fits(row_step, rows, column_step, columns)) {
    matrix = {data, columns == 1 ? std::max(rows, column_step) : column_step, false};
    return true;
  }
  if (fits(column_step, columns, row_step, rows)) {
    matrix = {data, rows == 1 ? std::max(columns, row_step) : row_step, true};
    return true;
  }
  return false;
}

/// The BLAS routines that multiply tiles.
struct BlasKernels {
  Gemm gemm = nullptr;
  Gemv gemv = nullptr;       ///< for tiles of C of one row or column; null if the library has no correct gemv, in which case gemm is used
  bool takes_turns = false;  ///< one thread at a time may call the routines

  /// Returns the lock that a call must hold; an empty one if several threads may call at once.
  [[nodiscard]] std::unique_lock<std::mutex> turn() const;
};

/// Returns whether one thread at a time may call the library from which `find` takes dgemm.
bool takes_turns(const FindRoutine& find);

/// Looks the routines up and checks them on small products, which costs less than a microsecond. Throws environment_error if no library
/// has gemm, or if its result is wrong.
BlasKernels find_blas_kernels(Precision precision, const FindRoutine& find);

}  // namespace flopcast::contract
