#pragma once

#include <array>
#include <optional>
#include <string>

#include "flopcast/contract/algorithms/algorithm.hpp"
#include "flopcast/core/call.hpp"

namespace flopcast::contract {

/// Two indices of a tensor as a BLAS matrix: contiguous along `rows`, and the leading dimension apart along `columns`.
struct MatrixView {
  char rows = 'i', columns = 'j';
  std::int64_t leading_dimension = 1;
};

/// Returns the matrix that the two `indices` form, or nothing if neither has stride 1 or columns would overlap.
std::optional<MatrixView> matrix_view(const Tensor& tensor, const std::string& indices, const Extents& extents);

/// Returns the tensor that the kernel works on: the buffer of a copied operand (dense, with the indices in the same order in memory),
/// otherwise the operand itself.
Tensor kernel_tensor(const Algorithm& algorithm, const Contraction& contraction, Operand operand);

/// The BLAS call at an algorithm's core, from the routine catalogue, without addresses of operands.
struct KernelCall {
  Call call;
  /// Position of the argument that takes A, B, C; -1 for an operand of one element (axpy's factor, dot's result).
  std::array<int, 3> argument = {-1, -1, -1};

  [[nodiscard]] int argument_of(Operand operand) const { return argument[static_cast<std::size_t>(operand)]; }
};

/// Returns the call that computes C += alpha A B on the kernel's slices. Throws bad_input if a stride doesn't fit BLAS's 32-bit integers.
KernelCall kernel_call(const Algorithm& algorithm, const Contraction& contraction);

/// Throws bad_input if a stride of the algorithm's kernel calls or copies doesn't fit BLAS's 32-bit integers.
void require_callable(const Algorithm& algorithm, const Contraction& contraction);

/// Returns the position of the scalar `alpha` among the call's scalars, or -1 for dot, whose result is scaled instead.
int alpha_scalar(const KernelCall& kernel);

/// Returns the call that copies one column of the slice of `operand` into its buffer, or with `back` from the buffer to the slice.
Call column_copy(const Algorithm& algorithm, const Contraction& contraction, Operand operand, bool back = false);

}  // namespace flopcast::contract
