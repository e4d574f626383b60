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
  const auto part = [](double Costs::*member) { return [member](const NamedCosts& row) { return row.second->*member; }; };
  Columns<NamedCosts> columns;
  columns.text("scope", "",
               "path or processes that the row is about. The critical path takes the greatest time. 'longest path of each' has for each "
               "column the path with most of it. The last rows have the largest and the mean value of what each process did itself",
               &NamedCosts::first);
  columns.number("seconds", "time", "s", "time on the path, or of the process", part(&Costs::time));
  columns.number("computation_seconds", "computation", "s", "time outside of MPI", part(&Costs::computation));
  columns.number("communication_seconds", "communication", "s", "time of messages", part(&Costs::communication));
  columns.number("idle_seconds", "idle", "s", "waiting on the path that nothing explains", part(&Costs::idle));
  columns.number(
      "supersteps", "supersteps", "", "blocking communications, and waits or tests that completed something", Best::small,
      [](const NamedCosts& row) { return report::Cell(row.second->supersteps, fmt::format("{:.10g}", row.second->supersteps)); });
  columns.number("words", "words", "8 B", "numbers of 8 bytes sent and received by the processes on the path", Best::small,
                 part(&Costs::words));
  columns.number("flops", "flops", "flop", "flops of the kernels", part(&Costs::flops));
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
  columns.text("rank", "process", "rank of the process", &MpiProcess::rank);
  columns.text("host", "host", "name of its node", &MpiProcess::host);
  columns.number("computation_seconds", "computation", "s", "time of the process outside of MPI", &MpiProcess::own,
                 &path::Costs::computation);
  columns.number("communication_seconds", "communication", "s", "time of its messages", &MpiProcess::own, &path::Costs::communication);
  columns.number("idle_seconds", "waiting", "s", "time that the process waited for others", &MpiProcess::own, &path::Costs::idle);
  columns.number("percent_waiting", "% waiting", "%", "waiting, as part of the process's time", Best::small,
                 [](const MpiProcess& process) { return percent_cell(process.own.idle, process.own.time); });
  columns.number("on_path_seconds", "kernels on path", "s", "time of this process's kernels on the critical path", Best::neither,
                 &MpiProcess::on_path);
  columns.number("own_code_on_path_seconds", "own code on path", "s",
                 "time on the critical path of this process's code outside of kernels and regions", Best::neither,
                 &MpiProcess::own_code_on_path);
  if (shows_lost) {
    columns.number("blocked_seconds", "blocked", "s",
                   "wall time outside of MPI in which the process neither computed nor was ready to run: asleep, or waiting for a file",
                   &MpiProcess::blocked);
    columns.number("without_core_seconds", "without core", "s", "wall time in which the process was ready to run, but had no core",
                   &MpiProcess::without_core);
    columns.text("longest_wait", "longest wait", "the longest wall time waited for another process in calls of one routine",
                 [](const MpiProcess& process) { return wait_text(process.longest_wait); });
  }
  return columns;
}

Columns<MpiKernel> profile_kernel_columns(Seconds path) {
  Columns<MpiKernel> columns = kernel_columns<MpiKernel>(path);
  columns.number("standard_deviation_seconds", "deviation", "s", "standard deviation of one execution",
                 [](const MpiKernel& kernel) { return std::sqrt(kernel.along.variance); });
  columns.number("executed", "executed", "", "executions in all processes", [](const MpiKernel& kernel) { return kernel.executed.count; });
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
    tables.push_back(wait_table(profile.waits));
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
