#pragma once

#include <map>
#include <memory>

#include "flopcast/machine/libraries/installed_libraries.hpp"
#include "flopcast/support/run_context.hpp"
#include "flopcast/tasks/contraction/contraction.hpp"
#include "flopcast/workbench/workbench.hpp"

namespace flopcast {

/// The workbenches of plans in a program that may use a BLAS of its own, whose number of threads must stay as it is. Not for use from several
/// threads at once.
class PlanningWorkbenches {
 public:
  explicit PlanningWorkbenches(machine::LibraryChoice choice = {}, RunContext context = {});

  /// Returns the workbench with the chosen libraries, which plans on one thread use.
  [[nodiscard]] const std::shared_ptr<const Workbench>& first() const noexcept { return first_; }
  /// Returns the workbench for plans on `threads` threads: the first one, unless its BLAS takes one call at a time and no BLAS was chosen.
  /// Then it is one with an installed serial BLAS that several threads may call, if there is one.
  const std::shared_ptr<const Workbench>& for_threads(int threads);

  /// Returns the machine of plans on `threads` threads. The rates of its kernels are looked up or measured at the first call; `fresh` measures
  /// them again.
  const contract::Machine& machine(int threads, bool fresh = false);
  /// Plans an expression, as plan() does with for_threads(request.threads). By estimate, a short one is planned on one thread, too, where
  /// first() may be faster, and the better plan is returned. The workbench must exist as long as the plan.
  contract::Plan plan(const contract::SizedExpression& expression, const contract::EinsumStrides& strides, const PlanRequest& request);

 private:
  contract::Plan plan_on_threads(const contract::SizedExpression& expression, const contract::EinsumStrides& strides,
                                 const PlanRequest& request);

  RunContext context_;
  std::shared_ptr<const Workbench> first_;
  std::shared_ptr<const Workbench> of_several_;  ///< null until it is asked for
  std::map<int, contract::Machine> machines_;    ///< the key is the number of threads
};

}  // namespace flopcast
