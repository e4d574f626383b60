#pragma once

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "flopcast/support/run_context.hpp"
#include "flopcast/tasks/mpi/machine.hpp"
#include "flopcast/tasks/mpi/mpi.hpp"
#include "flopcast/tasks/mpi/simulation_services.hpp"
#include "flopcast/tasks/mpi/smpi_run.hpp"

namespace flopcast {

/// Simulates a program whose kernels take the times that models predict. A first simulation shows which kernels there are, and where their
/// operands lie.
class MpiSimulator {
 public:
  MpiSimulator(const MpiSimulateRequest& request, const SimulationServices& services, RunContext context)
      : request_(request), services_(services), context_(std::move(context)) {}

  /// Simulates the program on `machine` (its platform, its processes). Kernel times depend on where operands lie, which depends on the
  /// number of processes. The simulation is therefore repeated until all kernels together take the predicted time, to half a percent, but
  /// not more than twice.
  SimulatedRun run(SmpiSimulation machine);

 private:
  /// Simulates once. Throws Cancelled in place of an error if the user cancelled.
  [[nodiscard]] SmpiResult simulated(const SmpiSimulation& simulation) const;
  void learn(const SmpiResult& result, int processes_per_host);

  const MpiSimulateRequest& request_;
  const SimulationServices& services_;
  RunContext context_;
  std::unique_ptr<KernelPlace> place_;
  std::optional<double> drift_;  ///< present drift of the machine, once it is known
  std::vector<SmpiKernelTime> times_;
};

/// Simulates the program with every number of processes of the request. A number that can't be simulated is among the failures. Throws the
/// last one's error if all fail, and Cancelled.
MpiSimulation simulate_all(const MpiSimulateRequest& request, const SimulatedMachine& machine, const SimulationServices& services,
                           const RunContext& context);

}  // namespace flopcast
