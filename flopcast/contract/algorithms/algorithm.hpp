#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "flopcast/contract/notation/contraction.hpp"

namespace flopcast::contract {

/// The five BLAS kernels that can compute the innermost part of a contraction (paper 002, section 2), by BLAS level.
enum class Kernel : std::uint8_t { dot, axpy, gemv, ger, gemm };
std::string_view name(Kernel kernel);
/// Returns the BLAS level of a kernel: 1, 2 or 3.
int blas_level(Kernel kernel);

/// A copy of an operand into a buffer. A matrix operand needs one if it is contiguous along none of its kernel indices: the buffer holds
/// the present slice.
struct Copy {
  Operand operand = Operand::a;
  std::size_t depth = 0;  ///< number of loops around the copy, which precedes the loop of this number, or the kernel
  friend bool operator==(const Copy&, const Copy&) = default;
};

/// One way to compute a contraction: nested loops with copies between them and one kernel call at their core. Each loop holds one loop or
/// call besides copies, so that these members describe the whole syntax tree.
struct Algorithm {
  Kernel kernel = Kernel::gemm;
  std::string kernel_indices;  ///< the indices that the kernel takes: contracted, free in A, free in B
  std::string loops;           ///< loop indices, the outermost first
  std::vector<Copy> copies;    ///< by depth, then A, B, C; C's buffer is filled at this depth and written back after the body

  /// Returns paper 002's name: the loops, each followed by an apostrophe for each copy in it, then the kernel, as in `i'c-gemm`. A copy
  /// outside of all loops, which only user-defined strides cause, comes first. Without loops the name is the kernel alone.
  [[nodiscard]] std::string name() const;
  [[nodiscard]] const Copy* copy_of(Operand operand) const;
  friend bool operator==(const Algorithm&, const Algorithm&) = default;
};

/// Returns the number of kernel calls: the product of the loops' lengths.
double kernel_calls(const Algorithm& algorithm, const Contraction& contraction);

/// Returns the indices of `operand` that the algorithm's kernel takes (none: a scalar, one: a vector, two: a matrix).
std::string kernel_indices(const Algorithm& algorithm, const Contraction& contraction, Operand operand);

}  // namespace flopcast::contract
