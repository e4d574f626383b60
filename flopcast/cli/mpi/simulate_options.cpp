#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "flopcast/cli/interrupt.hpp"
#include "flopcast/cli/mpi/options.hpp"
#include "flopcast/cli/mpi/machine_options.hpp"
#include "flopcast/cli/mpi/tables.hpp"
#include "flopcast/cli/options.hpp"
#include "flopcast/cli/shared/option_set.hpp"
#include "flopcast/report/table.hpp"
#include "flopcast/support/error.hpp"
#include "flopcast/support/file.hpp"
#include "flopcast/support/stopwatch.hpp"
#include "flopcast/support/units.hpp"
#include "flopcast/tasks/mpi/program_kernels.hpp"
#include "flopcast/tasks/mpi/machine.hpp"
#include "flopcast/tasks/mpi/simulation.hpp"

namespace flopcast::cli {
namespace {

using nlohmann::json;

constexpr const char* footer =
    R"(The program is compiled and linked with SimGrid's smpicc, smpicxx or smpiff in place of mpicc, mpicxx or mpifort; docs/mpi.md says what the
figures are. BLAS and LAPACK aren't executed but take what models say, which are measured where they are missing and kept. So the program's
results are garbage: one that goes by its results (a residual check, a loop that ends when it has converged) can't be simulated.

Examples:
  flopcast mpi simulate --ranks 16 -- ./app
  flopcast mpi simulate --ranks 16:1024 --machine cluster.json -- ./app
  flopcast mpi simulate --ranks 4,8 --latency 2e-6 --bandwidth 12 --cores-per-node 4 -- ./app --n 4000)";

struct SimulateOptions {
  std::string ranks;
  MachineChoice machine;
  std::string time_budget = "20s";
  SimulationOptions simulation;
};

/// A simulated number of processes.
struct Simulated {
  json result;
  Seconds took = 0;
};

/// A number of processes that couldn't be simulated.
struct Failure {
  int ranks = 0;
  std::string reason;
  ExitCode code = ExitCode::internal;
};

struct Simulations {
  std::vector<Simulated> done;
  std::vector<Failure> failed;
};

/// `16`, `4,8,32`, `16:1024`, which doubles.
std::vector<int> rank_counts(const std::string& text) {
  constexpr std::int64_t most = 1 << 20;
  std::vector<int> counts;
  for (const std::string_view part : split(text, ',')) {
    const std::vector<std::string_view> ends = split(part, ':');
    const std::int64_t first = parse_integer(ends.front(), "--ranks", 1, most);
    const std::int64_t last = parse_integer(ends.back(), "--ranks", 1, most);
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

/// What the critical path owes to kernels of the catalogue.
Seconds kernel_seconds(const json& result) {
  Seconds sum = 0;
  for (const json& kernel : result.at("kernels")) {
    sum += kernel.at("kind") == "computation" ? number(kernel.at("along"), "seconds") : 0;
  }
  return sum;
}

Seconds mean_of_processes(const json& result, const char* name) {
  Seconds sum = 0;
  for (const json& process : result.at("processes")) {
    sum += number(process, name);
  }
  return sum / static_cast<double>(result.at("processes").size());
}

/// A row for each number of processes, those that couldn't be simulated last.
report::Table table_of(const Simulations& all) {
  report::Table table;
  table.columns = {{"processes"},
                   {"time", report::Align::right, "seconds"},
                   {"computation", report::Align::right, "computation_seconds"},
                   {"communication", report::Align::right, "communication_seconds"},
                   {"idle", report::Align::right, "idle_seconds"},
                   {"% in kernels", report::Align::right, "percent_in_kernels"},
                   {"mean computation", report::Align::right, "mean_computation_seconds"},
                   {"mean communication", report::Align::right, "mean_communication_seconds"},
                   {"mean waiting", report::Align::right, "mean_waiting_seconds"},
                   {"simulated in", report::Align::right, "simulation_seconds"}};
  for (const Simulated& one : all.done) {
    const json& path = one.result.at("path");
    table.rows.push_back({report::whole(one.result.at("ranks").get<int>()), seconds_cell(number(one.result, "seconds")),
                          seconds_cell(number(path, "computation_seconds")), seconds_cell(number(path, "communication_seconds")),
                          seconds_cell(number(path, "idle_seconds")), percent(kernel_seconds(one.result), number(path, "seconds")),
                          seconds_cell(mean_of_processes(one.result, "computation_seconds")),
                          seconds_cell(mean_of_processes(one.result, "communication_seconds")),
                          seconds_cell(mean_of_processes(one.result, "waiting_seconds")), seconds_cell(one.took)});
  }
  for (const Failure& failure : all.failed) {
    table.rows.emplace_back(table.columns.size(), report::Cell(""));
    table.rows.back().front() = report::whole(failure.ranks);
    table.rows.back().at(1) = report::Cell("failed");
  }
  return table;
}

/// The kernels that make up the path, those that take most first.
report::Table kernel_table(const json& result, std::size_t most) {
  report::Table table;
  table.columns = {{"kernel", report::Align::left},
                   {"on path"},
                   {"time", report::Align::right, "seconds"},
                   {"% of path", report::Align::right, "percent_of_path"},
                   {"mean", report::Align::right, "mean_seconds"},
                   {"in all"}};
  for (const json& kernel : kernels_by_time(result, most)) {
    const json& along = kernel.at("along");
    table.rows.push_back({kernel.at("kernel").get<std::string>(), report::whole(along.at("count").get<std::int64_t>()),
                          seconds_cell(number(along, "seconds")), percent(number(along, "seconds"), number(result, "seconds")),
                          seconds_cell(number(along, "mean")), report::whole(kernel.at("all").at("count").get<std::int64_t>())});
  }
  return table;
}

json document_of(const Simulations& all, const json& machine) {
  json list = json::array();
  for (const Simulated& one : all.done) {
    json entry = one.result;
    entry.erase("schema");
    entry["simulation_seconds"] = one.took;
    list.push_back(std::move(entry));
  }
  json document = {{"schema", "flopcast-mpi-simulation-1"}, {"machine", machine}, {"simulations", std::move(list)}};
  for (const Failure& failure : all.failed) {
    document["failures"].push_back({{"ranks", failure.ranks}, {"reason", failure.reason}});
  }
  return document;
}

void require_all_known(const json& result, const CommonOptions& common) {
  Seconds unknown = 0;
  for (const json& kernel : result.at("kernels")) {
    unknown += kernel.value("known", true) ? 0 : number(kernel.at("all"), "seconds");
  }
  if (unknown > 0) {
    note(fmt::format("flopcast: kernels that take {} of all processes' time have no model; they count with 20 GFLOP/s",
                     format_seconds(unknown)),
         common);
  }
}

/// Simulates the program on each of the numbers of processes. A number that fails is told with its reason, and the others are gone on with.
/// Throws the last one's error if all fail.
Simulations simulate_each(const std::vector<int>& counts, const SimulatedMachine& machine, MpiSimulator& simulator,
                          const CommonOptions& common) {
  Simulations all;
  for (const int ranks : counts) {
    throw_if_interrupted("what was measured of kernels is kept");
    const Stopwatch watch;
    try {
      json result = simulator.run(machine.prepared(ranks));
      all.done.push_back({std::move(result), watch.elapsed()});
    } catch (const Error& error) {
      if (all.done.empty() && ranks == counts.back()) {
        throw;
      }
      note(fmt::format("flopcast: {} can't be simulated: {}", processes(ranks), error.what()), common);
      all.failed.push_back({ranks, error.what(), error.code()});
      continue;
    }
    require_all_known(all.done.back().result, common);
    if (counts.size() > 1) {
      note(fmt::format("{}: {}", processes(ranks), format_seconds(number(all.done.back().result, "seconds"))), common);
    }
  }
  return all;
}

void simulate(SimulateOptions options, CommonOptions& common) {
  if (options.simulation.command.empty()) {
    throw usage_error("which program is to be simulated? Give it after --, as in: flopcast mpi simulate --ranks 16 -- ./app");
  }
  const std::vector<int> counts = rank_counts(options.ranks);
  options.simulation.time_budget = parse_duration(options.time_budget, "--time-budget");
  interpose::require_simulable(options.simulation.command.front());
  model::Store store = open_store(run_context(common));
  const SimulatedMachine machine(options.machine, store, run_context(common));
  MpiSimulator simulator(options.simulation, store, run_context(common));
  if (options.simulation.show_output) {
    note("flopcast: kernels aren't executed: what the program computes and prints is garbage", common);
  }
  const Simulations all = simulate_each(counts, machine, simulator, common);
  if (common.json) {
    emit(document_of(all, machine.document()), common);
  } else if (common.csv || counts.size() > 1) {
    emit(table_of(all), common);
  } else {
    constexpr std::size_t max_kernels_shown = 20;
    emit(render(table_of(all), common) + '\n' + render(kernel_table(all.done.front().result, max_kernels_shown), common), common);
  }
  if (!all.failed.empty()) {
    common.exit_code = static_cast<int>(all.failed.front().code);
  }
}

}  // namespace

void add_mpi_simulate_command(OptionSet& mpi, CommonOptions& common) {
  auto options = std::make_shared<SimulateOptions>();
  OptionSet command = mpi.add_command("simulate", "Predict an MPI program on a machine that isn't there, with SimGrid");
  command.option("--ranks", options->ranks, "Processes: a number, numbers separated by commas, or a range that doubles, as 16:1024")
      .required()
      .placeholder("LIST");
  add_machine_choice(command, options->machine);
  command.option("--time-budget", options->time_budget,
                 "At most this long for measuring kernels without a good model, per number of processes (default: 20s)");
  add_mpi_kernels_option(command, options->simulation.kernels);
  command.flag("--only-kernels", options->simulation.only_kernels, "The program's own code takes no time");
  command.flag("--show-output", options->simulation.show_output, "Let through what the program prints, on standard error");
  command.option("command", options->simulation.command, "Program, built for SMPI, and its arguments").placeholder("-- COMMAND");
  command.footer(footer);
  command.action([options, &common] { simulate(*options, common); });
}

}  // namespace flopcast::cli
