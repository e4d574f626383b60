#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "flopcast/cli/mpi/options.hpp"
#include "flopcast/cli/mpi/simulate_tables.hpp"
#include "flopcast/cli/shared/option_set.hpp"
#include "flopcast/cli/shared/options.hpp"
#include "flopcast/support/error.hpp"
#include "flopcast/support/units.hpp"
#include "flopcast/tasks/mpi/mpi.hpp"
#include "flopcast/workbench/workbench.hpp"

namespace flopcast::cli {
namespace {

constexpr const char* footer =
    R"(The program is compiled and linked with SimGrid's smpicc, smpicxx or smpiff in place of mpicc, mpicxx or mpifort;
docs/reference/columns.md explains the figures. BLAS and LAPACK aren't executed: they take the times that models
predict. Missing models are measured and kept. The program's results are therefore garbage: a program whose course
depends on them (a residual check, a loop that ends when it has converged) can't be simulated.

Examples:
  flopcast mpi simulate --ranks 16 -- ./app
  flopcast mpi simulate --ranks 16:1024 --machine cluster.json -- ./app
  flopcast mpi simulate --ranks 4,8 --latency 2e-6 --bandwidth 12 --cores-per-node 4 -- ./app --n 4000)";

struct SimulateOptions {
  std::string ranks;
  MpiSimulateRequest request;
};

/// Reads `16`, `4,8,32`, or `16:1024`, which doubles.
std::vector<int> rank_counts(const std::string& text) {
  constexpr std::int64_t max_ranks = 1 << 20;
  std::vector<int> counts;
  for (const std::string_view part : split(text, ',')) {
    const std::vector<std::string_view> ends = split(part, ':');
    const std::int64_t first = parse_integer(ends.front(), "--ranks", 1, max_ranks);
    const std::int64_t last = parse_integer(ends.back(), "--ranks", 1, max_ranks);
    if (ends.size() > 2 || last < first) {
      throw bad_input("--ranks: '{}' is no number of processes such as 16, nor a range such as 16:1024, which doubles", part);
    }
    for (std::int64_t count = first; count <= last; count *= 2) {
      if (std::find(counts.begin(), counts.end(), count) != counts.end()) {
        throw bad_input("--ranks: {} has {} processes twice", text, count);
      }
      counts.push_back(static_cast<int>(count));
    }
  }
  return counts;
}

void simulate(SimulateOptions options, CommonOptions& common) {
  if (!names_program(options.request.command)) {
    throw usage_error("which program is to be simulated? Give it after --, as in: flopcast mpi simulate --ranks 16 -- ./app");
  }
  options.request.ranks = rank_counts(options.ranks);
  const MpiSimulation simulation = simulate_mpi(Workbench({}, run_context(common)), options.request, run_context(common));
  if (common.json) {
    emit_document(simulation, common);
  } else if (common.csv || options.request.ranks.size() > 1) {
    emit(simulation_table(simulation), common);
  } else {
    emit(render(simulation_table(simulation), common) + '\n' + render(simulated_kernel_table(simulation.runs.front()), common), common);
  }
  if (!simulation.failures.empty()) {
    common.exit_code = simulation.failures.front().exit_code;
  }
}

}  // namespace

void add_mpi_simulate_command(OptionSet& mpi, CommonOptions& common) {
  auto options = std::make_shared<SimulateOptions>();
  MpiSimulateRequest& request = options->request;
  OptionSet command = mpi.add_command("simulate", "Predict an MPI program on a machine that isn't there, with SimGrid");
  command
      .option("--ranks", options->ranks, "Numbers of processes: a number, numbers separated by commas, or a range that doubles, as 16:1024")
      .required()
      .placeholder("LIST");
  add_machine_choice(command, request.machine);
  command
      .parsed(
          "--time-budget", [&request](const std::string& text) { request.time_budget = parse_duration(text, "--time-budget"); },
          "Time for measuring kernels without a good model, per number of processes (default: 20s)")
      .placeholder("DURATION")
      .setting("time-budget");
  add_mpi_kernels_option(command, request.tuned_kernels);
  command.flag("--only-kernels", request.only_kernels, "Let the program's own code take no time");
  command.flag("--show-output", request.show_output, "Show the program's output, on standard error");
  command.option("command", request.command, "Program, built for SMPI, and its arguments").placeholder("-- COMMAND");
  command.footer(footer);
  command.action([options, &common] { simulate(*options, common); });
}

}  // namespace flopcast::cli
