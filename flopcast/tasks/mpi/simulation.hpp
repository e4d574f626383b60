#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "flopcast/model/on_demand.hpp"
#include "flopcast/model/store.hpp"
#include "flopcast/support/run_context.hpp"
#include "flopcast/support/units.hpp"
#include "flopcast/tasks/mpi/simulation_result.hpp"
#include "flopcast/tasks/mpi/smpi_run.hpp"
#include "flopcast/workbench/workbench.hpp"

namespace flopcast {

/// Simulates a program whose kernels take the times that models predict. A first simulation shows which kernels there are, and where their
/// operands lie.
class MpiSimulator {
 public:
  MpiSimulator(const MpiSimulateRequest& request, model::Store& store, RunContext context)
      : request_(request), store_(store), context_(std::move(context)) {}

  /// Simulates the program on `machine` (its platform, its processes). Kernel times depend on where operands lie, which depends on the
  /// number of processes. The simulation is therefore repeated until all kernels together take the predicted time, to half a percent.
  SimulatedRun run(SmpiSimulation machine);

 private:
  void learn(const SmpiResult& result, int processes_per_host);
  void open_libraries(const SimulatedRun& run);

  const MpiSimulateRequest& request_;
  model::Store& store_;
  RunContext context_;
  std::optional<Workbench> bench_;
  std::optional<model::OnDemandModels> models_;
  std::optional<double> drift_;  ///< present drift of the machine, once it is known
  std::vector<SmpiKernelTime> times_;
};

}  // namespace flopcast
