#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "flopcast/contract/contraction.hpp"

namespace flopcast::contract {

/// The five kernels that a contraction's innermost work can be given to (paper 002, section 2), by BLAS level.
enum class Kernel : std::uint8_t { dot, axpy, gemv, ger, gemm };
std::string_view name(Kernel kernel);
/// 1, 2 or 3.
int blas_level(Kernel kernel);

/// A matrix operand has no kernel index along which it is contiguous: a buffer holds its present slice.
struct Copy {
  Place operand = Place::a;
  std::size_t depth = 0;  ///< loops around it: it stands right before the loop of this number, or before the kernel
  friend bool operator==(const Copy&, const Copy&) = default;
};

/// One way to compute a contraction: nested loops with copies between them and one kernel call at their core. That is its syntax tree, as
/// each loop has one loop or call besides the copies.
struct Algorithm {
  Kernel kernel = Kernel::gemm;
  std::string kernel_indices;  ///< contracted, free in A, free in B; those that the kernel takes
  std::string loops;           ///< from the outermost in
  std::vector<Copy> copies;    ///< by depth, then A, B, C; C's is filled there, and written back after its loop's body

  /// Paper 002's name: the loops with an apostrophe for each copy in them, then the kernel, as in `i'c-gemm`. A copy outside of all loops
  /// (only with strides of the user's) comes first; without loops it is the kernel alone.
  [[nodiscard]] std::string name() const;
  [[nodiscard]] const Copy* copy_of(Place operand) const;
  friend bool operator==(const Algorithm&, const Algorithm&) = default;
};

/// Number of kernel calls: the product of the loops' lengths.
double kernel_calls(const Algorithm& algorithm, const Contraction& contraction);

/// Indices of `place` that `algorithm`'s kernel takes (none: a scalar, one: a vector, two: a matrix).
std::string kernel_indices(const Algorithm& algorithm, const Contraction& contraction, Place place);

}  // namespace flopcast::contract
