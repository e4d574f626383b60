#pragma once

#include <memory>
#include <span>
#include <vector>

#include "flopcast/contract/einsum/pair_plan.hpp"

namespace flopcast::contract {

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
  std::vector<const void*> starts_;  ///< of the operands, then of the result
  void* result_ = nullptr;
};

}  // namespace flopcast::contract
