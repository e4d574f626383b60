#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "flopcast/c/plan.hpp"
#include "flopcast/tapp/objects.hpp"
#include "flopcast/tapp/planner.hpp"

namespace flopcast::tapp {

/// One tensor of a product: its description, a label per dimension, and the operation on its elements.
struct ProductTensor {
  char name = 'A';  ///< in messages
  TensorInfo info;
  std::vector<std::int64_t> labels;
  bool conjugated = false;
};

/// Checks a tensor's arguments. Throws a Failure if there is no such tensor, its labels are a null pointer or the operation is unknown.
ProductTensor tensor_of(char name, TAPP_tensor_info info, const std::int64_t* labels, TAPP_element_op op);

/// A planned product, which several threads may execute at once.
class Product {
 public:
  /// Plans op_D(A B + C) for `tensors` A, B, C and D. The first product of a process opens the libraries, and measures the caches unless they
  /// were measured before (up to 15 s). Throws a Failure if the tensors contradict each other, and what flopcast_plan_from_labels() caught.
  Product(const Handle& handle, const std::array<ProductTensor, 4>& tensors, TAPP_prectype precision);

  /// D := op_D(alpha op_A(A) op_B(B) + beta op_C(C)). The first execution with another number of threads plans. Throws a Failure for null
  /// pointers, and what flopcast_execute() caught.
  void execute(const ExecutorSettings& executor, const void* alpha, const void* a, const void* b, const void* beta, const void* c,
               void* d) const;

  [[nodiscard]] const double& seconds() const { return seconds_; }  ///< expected time of an execution
  [[nodiscard]] const std::string& explanation() const;             ///< the plan in words; made at the first call

 private:
  [[nodiscard]] c::OwnedPlan planned(int threads) const;
  [[nodiscard]] const c::OwnedPlan& plan(int threads) const;

  std::array<ProductTensor, 4> tensors_;  ///< C and D have each label once
  int effort_, threads_;                  ///< the handle's
  std::shared_ptr<ProductPlanner> planner_ = shared_planner();
  c::OwnedPlan plan_;  ///< for the handle's threads
  double seconds_;
  mutable std::mutex mutex_;                    ///< held while any of the following is used
  mutable std::map<int, c::OwnedPlan> others_;  ///< plans for other numbers of threads; entries stay
  mutable std::string explanation_;
};

}  // namespace flopcast::tapp
