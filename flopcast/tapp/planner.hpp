#pragma once

#include <memory>
#include <mutex>
#include <string>

#include "flopcast/support/run_context.hpp"
#include "flopcast/tasks/contraction/contraction.hpp"
#include "flopcast/tasks/contraction/planning_workbenches.hpp"

namespace flopcast::tapp {

/// The services with which a process plans its products. Several threads may plan: they wait for each other.
class ProductPlanner {
 public:
  ProductPlanner() : benches_({}, keeping_if_possible(noting())) {}
  ProductPlanner(const ProductPlanner&) = delete;
  ProductPlanner& operator=(const ProductPlanner&) = delete;

  /// Plans an expression. Opens the libraries at the first call, and measures the caches unless they were measured before (up to 15 s).
  /// Throws what PlanningWorkbenches::plan() throws.
  /// Where nothing can be kept in the user's folders, choices are kept in this process only.
  contract::Plan plan(const contract::SizedExpression& expression, const contract::EinsumStrides& strides, const PlanRequest& request) {
    const std::scoped_lock lock(mutex_);
    return benches_.plan(expression, strides, request);
  }
  /// Returns the remarks about opening libraries and store so far, each on a line of its own.
  [[nodiscard]] std::string remarks() {
    const std::scoped_lock lock(mutex_);
    return remarks_;
  }

 private:
  RunContext noting() {
    RunContext context;
    context.note = [this](const std::string& text) { remarks_ += text + '\n'; };
    return context;
  }

  std::mutex mutex_;     ///< held while any of the following is used
  std::string remarks_;  ///< outlives the services, which add to it
  PlanningWorkbenches benches_;
};

/// Returns the planner of this process. Products keep the planner, since their kernels come from its libraries.
std::shared_ptr<ProductPlanner> shared_planner();

}  // namespace flopcast::tapp
