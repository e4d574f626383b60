#pragma once

#include <array>
#include <optional>
#include <string>

#include "flopcast/contract/algorithm.hpp"
#include "flopcast/core/call.hpp"

namespace flopcast::contract {

/// Two indices of a tensor as BLAS sees them: contiguous along `rows`, a leading dimension apart along `columns`.
struct MatrixView {
  char rows = 'i', columns = 'j';
  std::int64_t leading_dimension = 1;
};

/// Nothing where neither of the two `indices` has stride 1, or columns would overlap.
std::optional<MatrixView> matrix_view(const Tensor& tensor, const std::string& indices, const Extents& extents);

/// The tensor that the kernel works on: the buffer where there is a copy (dense, the same order of indices in memory), else the operand
/// itself.
Tensor kernel_tensor(const Algorithm& algorithm, const Contraction& contraction, Place place);

/// The catalogue's call at an algorithm's core, with operands not yet given.
struct KernelCall {
  Call call;
  /// Argument that takes A, B, C; -1 for what is one element: axpy's factor, dot's result.
  std::array<int, 3> argument = {-1, -1, -1};

  [[nodiscard]] int argument_of(Place place) const { return argument[static_cast<std::size_t>(place)]; }
};

/// C += alpha A B on the kernel's slices. Throws bad_input if a stride doesn't fit BLAS's 32-bit integers.
KernelCall kernel_call(const Algorithm& algorithm, const Contraction& contraction);

/// Throws as kernel_call() if a stride of its calls or of its copies doesn't fit.
void require_callable(const Algorithm& algorithm, const Contraction& contraction);

/// Position of the scalar `alpha` among the call's scalars; -1 for dot, whose result is scaled instead.
int alpha_scalar(const KernelCall& kernel);

/// Copying one column of the slice of `place` into its buffer (the other way for C's way back): a call of the catalogue's copy.
Call column_copy(const Algorithm& algorithm, const Contraction& contraction, Place place, bool back = false);

}  // namespace flopcast::contract
