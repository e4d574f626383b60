#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "flopcast/contract/einsum/normal_form.hpp"
#include "flopcast/contract/einsum/pair_plan.hpp"
#include "flopcast/contract/notation/expression.hpp"

namespace flopcast::contract {

/// Gives the tensor that a user names its strides. Operands are "1", "2" and so on, the result is "result"; expressions of one or two operands
/// also call them A, B and C. `strides.operands` must have a list per operand. Throws bad_input for a name that no tensor has, for strides
/// that are given twice, and unless there is a stride per index.
void give_strides(EinsumStrides& strides, const std::string& tensor, const std::vector<std::int64_t>& list, const Expression& expression);

/// Returns the bytes of the operands and of the result, each from its lowest to its highest element. Operands that are one tensor by
/// options.tensors count once.
std::int64_t tensor_bytes(const TensorAxes& axes, const PlanOptions& options);

/// Throws environment_error if the operands and the result need more memory than is available.
void require_memory(const SizedExpression& expression, const EinsumStrides& strides, const PlanOptions& options);

/// The operands and the result of an expression in memory, filled with random numbers in [-1, 1].
class EinsumTensors {
 public:
  /// Takes the precision and the order of dense tensors from `options`. Throws environment_error if the memory isn't available.
  EinsumTensors(const SizedExpression& expression, const EinsumStrides& strides, const PlanOptions& options, unsigned seed = 1);

  /// Returns the addresses of the operands' first elements.
  [[nodiscard]] std::span<const void* const> operands() const { return std::span(starts_).first(starts_.size() - 1); }
  /// Returns the address of the result's first element.
  [[nodiscard]] void* result() const { return result_; }

 private:
  std::vector<std::shared_ptr<void>> memory_;
  std::vector<const void*> starts_;  ///< first elements of the operands, then of the result
  void* result_ = nullptr;
};

}  // namespace flopcast::contract
