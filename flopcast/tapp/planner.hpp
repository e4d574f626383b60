#pragma once

#include <memory>
#include <mutex>

#include "flopcast/tasks/contraction/einsum.hpp"
#include "flopcast/workbench/workbench.hpp"

namespace flopcast::tapp {

/// The tools with which a process plans its products. Several threads may plan: they wait for each other.
class Planner {
 public:
  /// Plans an expression. Opens the libraries at the first call, and measures the caches unless they were measured before (up to 15 s).
  /// Throws what flopcast::plan_einsum() throws.
  contract::EinsumPlan plan(const contract::SizedExpression& expression, const contract::EinsumStrides& strides,
                            const PlanRequest& request) {
    const std::scoped_lock lock(mutex_);
    return plan_einsum(bench_, expression, strides, request);
  }

 private:
  std::mutex mutex_;
  Workbench bench_;
};

/// Returns the planner of this process. Products keep the planner, since their kernels come from its libraries.
std::shared_ptr<Planner> shared_planner();

}  // namespace flopcast::tapp
