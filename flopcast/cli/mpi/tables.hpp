#pragma once

/// Tables of `flopcast mpi`: profiles, simulations and tunings.
#include <algorithm>
#include <cstddef>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "flopcast/cli/shared/columns.hpp"
#include "flopcast/protocol/mpi_profile.hpp"
#include "flopcast/report/table.hpp"
#include "flopcast/support/units.hpp"
#include "flopcast/tasks/mpi/mpi.hpp"
#include "flopcast/tasks/mpi/tuning.hpp"

namespace flopcast::cli {

/// Returns one line with processes, clock, elapsed time, critical path, slowest process and flopcast's own messages.
std::string profile_summary(const MpiProfile& profile);

/// Returns the tables of costs, of efficiencies and processes (if the profile has them) and of kernels.
std::vector<report::Table> profile_tables(const MpiProfile& profile, std::size_t max_kernels = 20);

/// Returns at most `max_kernels` kernels, those with most time on the critical path first.
report::Table profile_kernel_table(const MpiProfile& profile, std::size_t max_kernels);

/// Returns the efficiencies of a run and of the regions in it.
report::Table efficiency_table(const MpiEfficiencies& run, const std::vector<MpiRegion>& regions = {});
std::vector<report::Column> efficiency_table_columns();

/// Returns who waited for whom, one row per process, partner and place. `legend` stands at the table's foot.
report::Table wait_table(const std::vector<MpiWaiting>& waits, std::string legend = "");
std::vector<report::Column> wait_table_columns();

/// Returns the columns that every table of kernels begins with: the kernel and its executions along the path, whose length is `path`.
template <class Kernel>
Columns<Kernel> kernel_columns(Seconds path) {
  Columns<Kernel> columns;
  columns.template show<&Kernel::name>("kernel");
  columns.number("executions_on_path", "on path", "", "executions on the critical path", [](const Kernel& kernel) {
    return kernel.along.count == 0 && kernel.along.seconds > 0 ? report::Cell("") : report::whole(kernel.along.count);
  });
  columns.number("seconds", "time", "s", "time of these executions", [](const Kernel& kernel) { return kernel.along.seconds; });
  columns.number("percent_of_path", "% of path", "%", "their part of the critical path",
                 [path](const Kernel& kernel) { return percent_cell(kernel.along.seconds, path); });
  columns.number("mean_seconds", "mean", "s", "mean time of one execution",
                 [](const Kernel& kernel) { return kernel.along.count > 0 ? std::optional(kernel.along.mean) : std::nullopt; });
  return columns;
}

/// Returns the rows of the critical path of `run`, a profile or a simulation. At most `max_kernels` kernels with most time there come first,
/// with the program's own code among them. All other kernels are one row, and waiting without a known cause is the last. The times of the
/// rows add up to the path's.
template <class Run>
auto path_rows(const Run& run, std::size_t max_kernels) {
  auto rows = run.kernels;
  using Kernel = typename decltype(rows)::value_type;
  const auto rest = [](const std::string& name, Seconds seconds) {
    Kernel row;
    row.name = name;
    row.along.seconds = seconds;
    return row;
  };
  std::stable_sort(rows.begin(), rows.end(), [](const Kernel& a, const Kernel& b) { return a.along.seconds > b.along.seconds; });
  const auto kept = static_cast<std::ptrdiff_t>(std::min(max_kernels, rows.size()));
  const std::size_t others = rows.size() - static_cast<std::size_t>(kept);
  const Seconds seconds = std::accumulate(rows.begin() + kept, rows.end(), Seconds{0},
                                          [](Seconds sum, const Kernel& kernel) { return sum + kernel.along.seconds; });
  rows.erase(rows.begin() + kept, rows.end());
  const auto place = std::find_if(rows.begin(), rows.end(), [&](const Kernel& row) { return row.along.seconds < run.own_code; });
  if (run.own_code > 0) {
    rows.insert(place, rest("own code", run.own_code));
  }
  if (seconds > 0) {
    rows.push_back(rest("other kernels: " + std::to_string(others), seconds));
  }
  if (run.critical_path.idle > 0) {
    rows.push_back(rest("waiting without known cause", run.critical_path.idle));
  }
  return rows;
}

/// Returns a row for each number of processes, those that couldn't be simulated last.
report::Table simulation_table(const MpiSimulation& simulation);

/// Returns at most `max_kernels` kernels, those with most time on the critical path first.
report::Table simulated_kernel_table(const SimulatedRun& run, std::size_t max_kernels = 20);
std::vector<report::Column> simulated_kernel_columns();

/// Returns a row per configuration; for CSV with a column for each parameter. Columns on executions in full are there if the tuning made
/// such executions for comparison.
report::Table tuning_table(const MpiTuning& tuning, bool csv);
/// Returns all columns that the table may have.
std::vector<report::Column> tuning_table_columns();

}  // namespace flopcast::cli
