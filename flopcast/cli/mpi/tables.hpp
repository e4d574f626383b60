#pragma once

/// Tables of `flopcast mpi`: profiles, simulations and tunings.
#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "flopcast/cli/shared/columns.hpp"
#include "flopcast/protocol/mpi_profile.hpp"
#include "flopcast/report/table.hpp"
#include "flopcast/support/units.hpp"
#include "flopcast/tasks/mpi/mpi.hpp"
#include "flopcast/tasks/mpi/tuning.hpp"

namespace flopcast::cli {

/// Returns one line with processes, clock, critical path, slowest process and flopcast's own messages.
std::string profile_summary(const MpiProfile& profile);

/// Returns the tables of costs, of processes (if the profile has them) and of kernels.
std::vector<report::Table> profile_tables(const MpiProfile& profile, std::size_t max_kernels = 20);

/// Returns at most `max_kernels` kernels, those with most time on the critical path first.
report::Table profile_kernel_table(const MpiProfile& profile, std::size_t max_kernels);

/// Returns the columns that every table of kernels begins with: the kernel and its executions along the path, whose length is `path`.
template <class Kernel>
Columns<Kernel> kernel_columns(Seconds path) {
  Columns<Kernel> columns;
  columns.template show<&Kernel::name>("kernel");
  columns.number("on path", "on path", "", "executions on the critical path", [](const Kernel& kernel) { return kernel.along.count; });
  columns.number("seconds", "time", "s", "time of these executions", [](const Kernel& kernel) { return kernel.along.seconds; });
  columns.number("percent_of_path", "% of path", "%", "their part of the critical path",
                 [path](const Kernel& kernel) { return percent_cell(kernel.along.seconds, path); });
  columns.number("mean_seconds", "mean", "s", "mean time of one execution", [](const Kernel& kernel) { return kernel.along.mean; });
  return columns;
}

/// Returns at most `max_kernels` kernels, those with most time along the critical path first.
template <class Kernel>
std::vector<Kernel> longest_kernels(std::vector<Kernel> kernels, std::size_t max_kernels) {
  std::stable_sort(kernels.begin(), kernels.end(), [](const Kernel& a, const Kernel& b) { return a.along.seconds > b.along.seconds; });
  kernels.resize(std::min(max_kernels, kernels.size()));
  return kernels;
}

/// Returns a row for each number of processes, those that couldn't be simulated last.
report::Table simulation_table(const MpiSimulation& simulation);

/// Returns at most `max_kernels` kernels, those with most time on the critical path first.
report::Table simulated_kernel_table(const SimulatedRun& run, std::size_t max_kernels = 20);
std::vector<report::Column> simulated_kernel_columns();

/// Returns a row per configuration. Columns on executions in full are there if the tuning made such executions for comparison.
report::Table tuning_table(const MpiTuning& tuning);
/// Returns all columns that the table may have.
std::vector<report::Column> tuning_table_columns();

}  // namespace flopcast::cli
