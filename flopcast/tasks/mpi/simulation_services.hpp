#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "flopcast/core/call.hpp"
#include "flopcast/core/environment.hpp"
#include "flopcast/core/sample.hpp"
#include "flopcast/machine/libraries/installed_libraries.hpp"
#include "flopcast/model/store.hpp"
#include "flopcast/predict/kernel_models.hpp"
#include "flopcast/support/run_context.hpp"
#include "flopcast/support/units.hpp"
#include "flopcast/tasks/mpi/smpi_run.hpp"
#include "flopcast/tune/design.hpp"

/// The simulation of an MPI program reaches the world through these interfaces. Tests have a world of their own.
namespace flopcast {

/// The libraries of a simulated program on this machine, whose kernels are timed.
class KernelPlace {
 public:
  KernelPlace() = default;
  KernelPlace(const KernelPlace&) = delete;
  KernelPlace& operator=(const KernelPlace&) = delete;
  virtual ~KernelPlace() = default;

  [[nodiscard]] virtual const Environment& environment() const = 0;
  /// Returns the kernel that the call executes.
  [[nodiscard]] virtual ModelKey key(const Call& call) const = 0;
  /// Returns models of the kernels in `subjects`, after sampling for at most `budget`. They live as long as the place. Throws Cancelled.
  virtual const prediction::KernelModels& models(std::vector<tuning::Subject>& subjects, Seconds budget) = 0;
  /// Returns the time of the reference kernel now, relative to its time in the state to which the models refer. The program's own code is
  /// measured at the present speed, so the kernels' times must be scaled to it.
  virtual double drift() = 0;
};

/// Everything outside of a request that decides about a simulation.
struct SimulationServices {
  /// Simulates a program once, as run_simulation() does.
  std::function<SmpiResult(const SmpiSimulation& simulation)> simulate;
  std::function<std::unique_ptr<KernelPlace>(const machine::LibraryChoice& libraries)> open;
  int cores_of_last_cache = 1;  ///< cores of this machine that share the last cache
};

/// Returns the world of SimGrid and of this machine's libraries. Samples are kept in `store`. Both arguments must outlive the result.
SimulationServices this_simulation_world(model::Store& store, const RunContext& context);

}  // namespace flopcast
