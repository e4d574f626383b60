#include "flopcast/cli/mpi/tables.hpp"

#include "flopcast/cli/shared/columns.hpp"
#include "flopcast/cli/shared/command_tables.hpp"

namespace flopcast::cli {
namespace {

Seconds mean_of_processes(const SimulatedRun& run, Seconds SimulatedProcess::*part) {
  Seconds sum = 0;
  for (const SimulatedProcess& process : run.processes) {
    sum += process.*part;
  }
  return run.processes.empty() ? 0 : sum / static_cast<double>(run.processes.size());
}

Columns<SimulatedRun> columns() {
  const auto mean = [](Seconds SimulatedProcess::*part) {
    return [part](const SimulatedRun& run) { return mean_of_processes(run, part); };
  };
  Columns<SimulatedRun> columns;
  columns.show<&SimulatedRun::ranks>("processes");
  columns.show<&SimulatedRun::seconds>();
  columns.show<&SimulatedRun::critical_path, &path::Costs::computation>();
  columns.show<&SimulatedRun::critical_path, &path::Costs::communication>();
  columns.show<&SimulatedRun::critical_path, &path::Costs::idle>();
  columns.number("percent_in_kernels", "% in kernels", "%", "part of the critical path in BLAS and LAPACK", Best::large,
                 [](const SimulatedRun& run) { return percent_cell(run.kernel_seconds(), run.critical_path.time); });
  columns.number("mean_computation_seconds", "mean computation", "s", "mean over the processes of their own computation",
                 mean(&SimulatedProcess::computation));
  columns.number("mean_communication_seconds", "mean communication", "s", "mean over the processes of their messages' time",
                 mean(&SimulatedProcess::communication));
  columns.number("mean_waiting_seconds", "mean waiting", "s", "mean over the processes of their waiting", mean(&SimulatedProcess::waiting));
  columns.show<&SimulatedRun::simulation_seconds>("", "simulated in");
  return columns;
}

Columns<SimulatedKernel> simulated_columns(Seconds path) {
  Columns<SimulatedKernel> columns = kernel_columns<SimulatedKernel>(path);
  columns.add(numbers(shown<&SimulatedKernel::all>("executions_in_all", "in all")), &SimulatedKernel::all, &MpiTimes::count);
  return columns;
}

}  // namespace

report::Table simulation_table(const MpiSimulation& simulation) {
  report::Table table =
      columns().table(simulation.runs, "time: wall time that an unmodified program would measure on the simulated machine\n");
  for (const SimulationFailure& failure : simulation.failures) {
    table.rows.emplace_back(table.columns.size(), report::Cell(""));
    table.rows.back().front() = report::whole(failure.ranks);
    table.rows.back().at(1) = report::valued("failed", "-");
  }
  return table;
}

report::Table simulated_kernel_table(const SimulatedRun& run, std::size_t max_kernels) {
  return simulated_columns(run.seconds).table(path_rows(run, max_kernels));
}

std::vector<report::Column> simulated_kernel_columns() { return simulated_columns(0).headings(); }

}  // namespace flopcast::cli
