#pragma once

#include <unistd.h>

#include <mutex>
#include <utility>

#include "flopcast/flopcast.h"
#include "flopcast/machine/libraries/installed_libraries.hpp"
#include "flopcast/support/run_context.hpp"
#include "flopcast/tasks/contraction/planning_workbenches.hpp"
#include "flopcast/workbench/workbench.hpp"

/// A workbench that several threads may call in turns. Plans share the services, which they need after the handle is closed.
struct flopcast_workbench {
  flopcast_workbench(flopcast::machine::LibraryChoice choice, flopcast::RunContext its_context)
      : services(std::move(choice), its_context), context(std::move(its_context)) {}
  /// Makes a workbench that opens nothing, for plans that need no BLAS.
  flopcast_workbench() : has_libraries(false) {}

  flopcast::PlanningWorkbenches services;
  flopcast::RunContext context;
  bool has_libraries = true;
  std::mutex in_use;  ///< held while the services are used
  pid_t process = ::getpid();
};

namespace flopcast::c {

/// Largest number of threads that a workbench or a plan takes.
inline constexpr int max_threads = 1024;

/// Takes a workbench for use by this thread. Throws usage_error in a forked child of the process that opened the workbench.
[[nodiscard]] std::unique_lock<std::mutex> turn_of(flopcast_workbench& bench);

}  // namespace flopcast::c
