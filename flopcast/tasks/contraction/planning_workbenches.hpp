#pragma once

#include <memory>

#include "flopcast/machine/libraries/library_choice.hpp"
#include "flopcast/support/run_context.hpp"
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

 private:
  RunContext context_;
  std::shared_ptr<const Workbench> first_;
  std::shared_ptr<const Workbench> of_several_;  ///< null until it is asked for
};

}  // namespace flopcast
