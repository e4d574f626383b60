#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "flopcast/contract/network/plan.hpp"
#include "flopcast/contract/notation/expression.hpp"
#include "flopcast/tapp/objects.hpp"
#include "flopcast/tapp/planner.hpp"
#include "flopcast/tasks/contraction/contraction.hpp"

namespace flopcast::tapp {

/// One tensor of a product: its description, a label per dimension, and the operation on its elements.
struct ProductTensor {
  char name = 'A';  ///< in messages
  TensorInfo info;
  std::vector<contract::Label> labels;
  bool conjugated = false;
};

/// Checks a tensor's arguments. Throws a Failure if there is no such tensor, its labels are a null pointer or the operation is unknown.
ProductTensor tensor_of(char name, TAPP_tensor_info info, const std::int64_t* labels, TAPP_element_op op);

/// A planned product, which several threads may execute at once.
class Product {
 public:
  /// Plans op_D(A B + C) for `tensors` A, B, C and D. Throws a Failure if the tensors contradict each other, and what
  /// ProductPlanner::plan() throws.
  Product(const Handle& handle, const std::array<ProductTensor, 4>& tensors, TAPP_prectype precision);

  /// D := op_D(alpha op_A(A) op_B(B) + beta op_C(C)). The first execution with another number of threads plans. Throws a Failure for null
  /// pointers, and what Plan::execute() throws.
  void execute(const ExecutorSettings& executor, const void* alpha, const void* a, const void* b, const void* beta, const void* c,
               void* d) const;

  [[nodiscard]] const double& seconds() const { return seconds_; }  ///< expected time of an execution
  [[nodiscard]] const std::string& explanation() const;             ///< the plan in words; made at the first call

 private:
  Product(const Handle& handle, const std::array<ProductTensor, 4>& checked_tensors);
  [[nodiscard]] contract::Plan planned(int threads) const;
  [[nodiscard]] const contract::Plan& plan(int threads) const;

  contract::SizedExpression expression_;
  contract::EinsumStrides strides_;
  PlanRequest request_;
  std::shared_ptr<ProductPlanner> planner_;
  contract::Plan plan_;  ///< for the handle's threads
  double seconds_;
  mutable std::mutex mutex_;                      ///< held while any of the following is used
  mutable std::map<int, contract::Plan> others_;  ///< plans for other numbers of threads; entries stay
  mutable std::string explanation_;
};

}  // namespace flopcast::tapp
