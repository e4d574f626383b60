#include <memory>
#include <string>
#include <vector>

#include "flopcast/cli/mpi/options.hpp"
#include "flopcast/cli/mpi/tables.hpp"
#include "flopcast/cli/shared/option_set.hpp"
#include "flopcast/cli/shared/options.hpp"
#include "flopcast/cli/shared/request_options.hpp"
#include "flopcast/cli/shared/result_files.hpp"
#include "flopcast/support/error.hpp"
#include "flopcast/support/units.hpp"
#include "flopcast/tasks/mpi/mpi.hpp"
#include "flopcast/workbench/workbench.hpp"

namespace flopcast::cli {
namespace {

constexpr const char* simulate_footer =
    R"(The program is compiled and linked with SimGrid's smpicc, smpicxx or smpiff in place of mpicc, mpicxx or mpifort;
docs/reference/columns.md explains the figures. BLAS and LAPACK aren't executed: they take the times that models
predict. Missing models are measured and kept. The program's results are therefore garbage: a program whose course
depends on them (a residual check, a loop that ends when it has converged) can't be simulated.

Examples:
  flopcast mpi simulate --ranks 16 -- ./app
  flopcast mpi simulate --ranks 16:1024 --machine cluster.json -- ./app
  flopcast mpi simulate --ranks 4,8 --latency 2e-6 --bandwidth 12 --cores-per-node 4 -- ./app --n 4000)";

void simulate(const MpiSimulateRequest& request, const ResultFiles& files, CommonOptions& common) {
  if (!names_program(request.command)) {
    throw usage_error("which program is to be simulated? Give it after --, as in: flopcast mpi simulate --ranks 16 -- ./app");
  }
  const MpiSimulation simulation = simulate_mpi(Workbench({}, run_context(common)), request, run_context(common));
  if (common.json) {
    emit_document(simulation, common);
  } else if (common.csv || request.ranks.size() > 1) {
    emit(simulation_table(simulation), common);
  } else {
    const SimulatedRun& run = simulation.runs.front();
    std::string text = render(simulation_table(simulation), common) + '\n';
    text += run.efficiencies ? render(efficiency_table(*run.efficiencies), common) + '\n' : "";
    text += run.waits.empty() ? "" : render(wait_table(run.waits), common) + '\n';
    emit(text + render(simulated_kernel_table(run), common), common);
  }
  write_result_files(simulation, files, common);
  if (!simulation.failures.empty()) {
    common.exit_code = simulation.failures.front().exit_code;
  }
}

}  // namespace

void add_mpi_simulate_command(OptionSet& mpi, CommonOptions& common) {
  auto options = std::make_shared<MpiSimulateRequest>();
  auto files = std::make_shared<ResultFiles>();
  MpiSimulateRequest& request = *options;
  OptionSet command = mpi.add_command("simulate", "Predict an MPI program on a hypothetical machine, with SimGrid");
  add_request(command, request);
  command.option("command", request.command, "Program, built for SMPI, and its arguments").placeholder("-- COMMAND");
  add_result_files(command, *files);
  command.footer(simulate_footer);
  command.action([options, files, &common] { simulate(*options, *files, common); });
}

}  // namespace flopcast::cli
