#include "flopcast/cli/mpi/tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>

#include "flopcast/cli/shared/columns.hpp"
#include "flopcast/cli/shared/command_tables.hpp"

namespace flopcast::cli {
namespace {

constexpr std::size_t max_processes_shown = 16;

/// Costs along a path or of processes, with their name.
using NamedCosts = std::pair<std::string, const path::Costs*>;

Columns<NamedCosts> cost_columns() {
  using path::Costs;
  Columns<Costs> costs;
  costs.show<&Costs::time>().show<&Costs::computation>().show<&Costs::communication>().show<&Costs::idle>();
  costs.add(shown<&Costs::supersteps>(),
            [](const Costs& row) { return report::Cell(row.supersteps, fmt::format("{:.10g}", row.supersteps)); });
  costs.show<&Costs::words>().show<&Costs::flops>();
  Columns<NamedCosts> columns;
  columns.text("scope", "",
               "path or processes that the row is about. The critical path takes the greatest time. 'longest path of each' has for each "
               "column the path with most of it. The last rows have the largest and the mean value of what each process did itself",
               &NamedCosts::first);
  columns.add_part(costs, [](const NamedCosts& row) { return *row.second; });
  return columns;
}

/// Returns the costs along the critical path, of the longest path by each metric, of the process with the most, and the mean of processes.
report::Table cost_table(const MpiProfile& profile) {
  return cost_columns().table(std::vector<NamedCosts>{{"critical path", &profile.critical_path},
                                                      {"longest path of each", &profile.longest},
                                                      {"most of a process", &profile.per_process},
                                                      {"mean of processes", &profile.volumetric}});
}

/// Returns all processes, or of many those that compute most and those that compute least.
std::vector<MpiProcess> shown_processes(const MpiProfile& profile) {
  std::vector<MpiProcess> all = profile.processes;
  if (all.size() > max_processes_shown) {
    std::stable_sort(all.begin(), all.end(),
                     [](const MpiProcess& a, const MpiProcess& b) { return a.own.computation > b.own.computation; });
    all.erase(all.begin() + max_processes_shown / 2, all.end() - max_processes_shown / 2);
  }
  return all;
}

/// Returns whether processes were blocked for a considerable time, or lost wall time because they lacked cores.
bool has_lost_time(const MpiProfile& profile) {
  return profile.most_blocked() != nullptr || (profile.clock == protocol::MpiClock::wall && profile.lacked_cores());
}

/// Returns "345 ms for 0 (MPI_Recv)".
std::string wait_text(const std::optional<MpiWait>& wait) {
  return !wait ? ""
               : fmt::format("{} for {} ({})", format_seconds(wait->seconds),
                             wait->awaited_rank ? std::to_string(*wait->awaited_rank) : "several", wait->routine);
}

/// Returns each process's own costs. A process that computes while others wait is the slow one.
Columns<MpiProcess> process_columns(bool shows_lost) {
  Columns<MpiProcess> columns;
  columns.add(texts(shown<&MpiProcess::rank>("", "process")), &MpiProcess::rank);
  columns.show<&MpiProcess::host>();
  columns.add(shown<&path::Costs::computation>(), &MpiProcess::own, &path::Costs::computation);
  columns.add(shown<&path::Costs::communication>(), &MpiProcess::own, &path::Costs::communication);
  columns.add(shown<&path::Costs::idle>("", "waiting"), &MpiProcess::own, &path::Costs::idle);
  columns.number("percent_waiting", "% waiting", "%", "waiting, as part of the process's time", Best::small,
                 [](const MpiProcess& process) { return percent_cell(process.own.idle, process.own.time); });
  columns.show<&MpiProcess::on_path>("", "kernels on path");
  columns.show<&MpiProcess::own_code_on_path>();
  if (shows_lost) {
    columns.show<&MpiProcess::blocked>();
    columns.show<&MpiProcess::without_core>();
    columns.add(shown<&MpiProcess::longest_wait>(), [](const MpiProcess& process) { return wait_text(process.longest_wait); });
  }
  return columns;
}

Columns<MpiKernel> profile_kernel_columns(Seconds path) {
  Columns<MpiKernel> columns = kernel_columns<MpiKernel>(path);
  columns.number("standard_deviation_seconds", "deviation", "s", "standard deviation of one execution",
                 [](const MpiKernel& kernel) { return std::sqrt(kernel.along.variance); });
  columns.add(numbers(shown<&MpiKernel::executed>()), &MpiKernel::executed, &MpiTimes::count);
  columns.show<&MpiKernel::skipped>();
  return columns;
}

}  // namespace

std::vector<report::Table> profile_tables(const MpiProfile& profile, std::size_t max_kernels) {
  std::vector<report::Table> tables = {cost_table(profile)};
  if (profile.efficiencies) {
    tables.push_back(efficiency_table(*profile.efficiencies, profile.regions));
  }
  if (!profile.processes.empty()) {
    tables.push_back(process_columns(has_lost_time(profile)).table(shown_processes(profile)));
  }
  if (!profile.waits.empty()) {
    tables.push_back(wait_table(
        profile.waits, profile.clock == protocol::MpiClock::cpu ? "waited: wall time, unlike the other tables, which are CPU time\n" : ""));
  }
  tables.push_back(profile_kernel_table(profile, max_kernels));
  return tables;
}

report::Table profile_kernel_table(const MpiProfile& profile, std::size_t max_kernels) {
  return profile_kernel_columns(profile.critical_path.time).table(path_rows(profile, max_kernels));
}

std::vector<TableColumns> mpi_tables() {
  return {{"mpi run", cost_columns().headings()},
          {"mpi efficiencies", efficiency_table_columns()},
          {"mpi waits", wait_table_columns()},
          {"mpi processes", process_columns(true).headings()},
          TableColumns{"mpi kernels", profile_kernel_columns(0).headings()}.with(simulated_kernel_columns()),
          {"mpi tune", tuning_table_columns()},
          {"mpi simulate", simulation_table({}).columns}};
}

}  // namespace flopcast::cli
