#pragma once

#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "flopcast/model/on_demand.hpp"
#include "flopcast/model/store.hpp"
#include "flopcast/support/run_context.hpp"
#include "flopcast/support/units.hpp"
#include "flopcast/tasks/mpi/smpi_run.hpp"
#include "flopcast/workbench/workbench.hpp"

namespace flopcast {

/// What a program is simulated with, apart from the machine.
struct SimulationOptions {
  std::vector<std::string> command;
  Seconds time_budget = 20;      ///< for measuring kernels that the models don't know well enough, per number of processes
  std::string kernels = "auto";  ///< of BLAS: machine::LibraryChoice::kernels
  bool only_kernels = false;     ///< the program's own code takes no time
  bool show_output = false;
};

/// Simulates a program with kernels that take what models say. Which kernels there are, and where their operands lie, is found out by
/// simulating it.
class MpiSimulator {
 public:
  MpiSimulator(SimulationOptions options, model::Store& store, const RunContext& context)
      : options_(std::move(options)), store_(store), context_(context) {}

  /// What came of it on `machine` (its platform, its processes): the library's document, without traces. Where kernels' times depend on where
  /// operands lie, which depends on the number of processes, it is simulated again until all kernels together take what the models say, to half
  /// a percent.
  nlohmann::json run(interpose::SmpiSimulation machine);

 private:
  void learn(const nlohmann::json& result, int processes_per_host);
  void open_libraries(const nlohmann::json& result);

  SimulationOptions options_;
  model::Store& store_;
  RunContext context_;
  std::optional<Workbench> bench_;
  std::optional<model::OnDemandModels> models_;
  std::optional<double> drift_;                     ///< of the machine while it is simulated, once it is known
  nlohmann::json times_ = nlohmann::json::array();  ///< of kernels
};

}  // namespace flopcast
