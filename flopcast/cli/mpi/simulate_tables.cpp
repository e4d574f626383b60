#include "flopcast/cli/mpi/simulate_tables.hpp"

#include "flopcast/cli/mpi/kernel_table.hpp"
#include "flopcast/cli/mpi/profile_tables.hpp"
#include "flopcast/cli/shared/columns.hpp"

namespace flopcast::cli {
namespace {

Seconds mean_of_processes(const SimulatedRun& run, Seconds SimulatedProcess::*part) {
  Seconds sum = 0;
  for (const SimulatedProcess& process : run.processes) {
    sum += process.*part;
  }
  return run.processes.empty() ? 0 : sum / static_cast<double>(run.processes.size());
}

}  // namespace

report::Table simulation_table(const MpiSimulation& simulation) {
  report::Table table;
  table.columns =
      columns<"mpi simulate">({"processes", "seconds", "computation_seconds", "communication_seconds", "idle_seconds", "percent_in_kernels",
                               "mean_computation_seconds", "mean_communication_seconds", "mean_waiting_seconds", "simulation_seconds"});
  for (const SimulatedRun& run : simulation.runs) {
    table.rows.push_back({report::whole(run.ranks), seconds_cell(run.seconds), seconds_cell(run.critical_path.computation),
                          seconds_cell(run.critical_path.communication), seconds_cell(run.critical_path.idle),
                          percent_cell(run.kernel_seconds(), run.critical_path.time),
                          seconds_cell(mean_of_processes(run, &SimulatedProcess::computation)),
                          seconds_cell(mean_of_processes(run, &SimulatedProcess::communication)),
                          seconds_cell(mean_of_processes(run, &SimulatedProcess::waiting)), seconds_cell(run.simulation_seconds)});
  }
  for (const SimulationFailure& failure : simulation.failures) {
    table.rows.emplace_back(table.columns.size(), report::Cell(""));
    table.rows.back().front() = report::whole(failure.ranks);
    table.rows.back().at(1) = report::Cell("failed");
  }
  table.footnote = "time: wall time that an unmodified program would measure on the simulated machine\n";
  return table;
}

report::Table simulated_kernel_table(const SimulatedRun& run, std::size_t max_kernels) {
  return kernel_table<SimulatedKernel>(
      run.kernels, max_kernels, run.seconds,
      {{column<"mpi kernels">("in all"), [](const SimulatedKernel& kernel) { return report::whole(kernel.all.count); }}});
}

}  // namespace flopcast::cli
