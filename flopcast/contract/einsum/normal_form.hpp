#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "flopcast/contract/notation/expression.hpp"
#include "flopcast/contract/notation/overlap.hpp"
#include "flopcast/core/routine.hpp"

namespace flopcast::contract {

/// A label of more than one value: its size and its strides in A, B and D. A stride is 0 in a tensor that lacks the label, or whose elements
/// repeat along the label.
struct LabelDimension {
  Label label = 0;
  std::int64_t extent = 1;
  std::array<std::int64_t, 3> strides{};
  bool in_result = false;
  friend bool operator==(const LabelDimension&, const LabelDimension&) = default;
};

/// Axes of all tensors as given, for checks of addresses. Strides of axes of size 1 are 0.
struct TensorAxes {
  std::vector<std::vector<Axis>> operands;
  std::vector<Axis> result, addend;
};

/// Gives every axis its stride. Throws bad_input, which names the tensor, if the number of strides is wrong or elements of D share addresses.
/// Throws bad_input, too, if a tensor has more elements than 63 bits can count, or reaches further than 62 bits can address.
TensorAxes tensor_axes(const SizedExpression& expression, const EinsumStrides& strides, Precision precision, Order order);

/// The expression with one dimension per label.
struct NormalForm {
  std::vector<LabelDimension> dimensions;  ///< of all labels of more than one value, the result's first
  bool is_empty_sum = false;               ///< a summed label has no values
  bool is_empty_result = false;            ///< D has no elements
  bool has_diagonal = false;               ///< D repeats a label of more than one value
  double repetitions = 1;  ///< number of equal products that were skipped: values of summed labels along which nothing changes
};

/// Requires one or two operands.
NormalForm normal_form(const SizedExpression& expression, const TensorAxes& axes);

}  // namespace flopcast::contract
