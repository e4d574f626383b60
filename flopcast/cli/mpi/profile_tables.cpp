#include "flopcast/cli/mpi/profile_tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>

#include "flopcast/cli/mpi/kernel_table.hpp"
#include "flopcast/cli/shared/columns.hpp"

namespace flopcast::cli {
namespace {

constexpr std::size_t max_processes_shown = 16;

/// Returns the costs along the critical path, of the longest path by each metric, of the process with the most, and the mean of processes.
report::Table cost_table(const MpiProfile& profile) {
  report::Table table;
  table.columns = columns<"mpi run">(
      {"scope", "seconds", "computation_seconds", "communication_seconds", "idle_seconds", "supersteps", "words", "flops"});
  for (const auto& [title, costs] :
       {std::pair("critical path", &profile.critical_path), std::pair("longest path of each", &profile.longest),
        std::pair("most of a process", &profile.per_process), std::pair("mean of processes", &profile.volumetric)}) {
    table.rows.push_back({title, seconds_cell(costs->time), seconds_cell(costs->computation), seconds_cell(costs->communication),
                          seconds_cell(costs->idle), report::Cell(costs->supersteps, fmt::format("{:.10g}", costs->supersteps)),
                          report::Cell(costs->words, fmt::format("{:.4g}", costs->words)),
                          report::Cell(costs->flops, fmt::format("{:.4g}", costs->flops))});
  }
  return table;
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
report::Table process_table(const MpiProfile& profile) {
  report::Table table;
  table.columns = columns<"mpi processes">(
      {"rank", "host", "computation_seconds", "communication_seconds", "idle_seconds", "percent_waiting", "on_path_seconds"});
  const bool shows_lost = has_lost_time(profile);
  if (shows_lost) {
    add_columns<"mpi processes">(table.columns, {"blocked_seconds", "without_core_seconds", "longest_wait"});
  }
  for (const MpiProcess& process : shown_processes(profile)) {
    table.rows.push_back({report::whole(process.rank), process.host, seconds_cell(process.own.computation),
                          seconds_cell(process.own.communication), seconds_cell(process.own.idle),
                          percent_cell(process.own.idle, process.own.time), seconds_cell(process.on_path)});
    if (shows_lost) {
      table.rows.back().push_back(seconds_cell(process.blocked));
      table.rows.back().push_back(seconds_cell(process.without_core));
      table.rows.back().push_back(wait_text(process.longest_wait));
    }
  }
  return table;
}

/// Returns a text on the process whose time outside of MPI is longest, and on whether it computes more than the others; empty if all take
/// about as long.
std::string slowest_process(const MpiProfile& profile) {
  const Seconds mean = profile.volumetric.computation;
  if (profile.processes.size() < 2 || mean <= 0) {
    return "";
  }
  const auto slowest = [&profile](auto seconds_of) -> const MpiProcess& {
    return *std::max_element(profile.processes.begin(), profile.processes.end(),
                             [&](const MpiProcess& a, const MpiProcess& b) { return seconds_of(a) < seconds_of(b); });
  };
  if (const double imbalance = profile.imbalance(); imbalance >= MpiProfile::considerable_imbalance) {
    const MpiProcess& most = slowest([&](const MpiProcess& process) { return profile.computing(process); });
    return fmt::format("; process {} computes most: {}, {:.2f} times the mean", most.rank, format_seconds(profile.computing(most)),
                       imbalance);
  }
  const MpiProcess& most = slowest([](const MpiProcess& process) { return process.own.computation; });
  return most.own.computation < MpiProfile::considerable_imbalance * mean
             ? ""
             : fmt::format(
                   "; process {} was outside of MPI {:.2f} times as long as the mean, without computing more: {} without a core, {} "
                   "blocked",
                   most.rank, most.own.computation / mean, format_seconds(most.program_without_core), format_seconds(most.blocked));
}

/// Returns a text on the cores that the processes got; empty if each had one nearly all the time.
std::string cores_text(const MpiProfile& profile) {
  return profile.lacked_cores()
             ? fmt::format("; the processes got {:.1f} of {}", profile.cores_got().value_or(0), counted(profile.ranks, "core"))
             : "";
}

/// Returns the clock with the reason for which it was chosen.
std::string clock_text(const MpiProfile& profile) {
  if (profile.clock != protocol::MpiClock::cpu) {
    return "wall time";
  }
  return fmt::format("CPU time and modelled messages ({})",
                     profile.granted_cpus > 0 ? fmt::format("a control group grants its processes {:.1f} CPUs", profile.granted_cpus)
                                              : "more processes than cores, or asked for");
}

/// Returns a text on the messages that flopcast itself sent; empty for profiles that don't have them.
std::string own_messages(const MpiProfile& profile) {
  return profile.own_messages
             ? fmt::format("; of flopcast's own {:.0f} messages, {}, at most {:.0f} bytes each", profile.own_messages->messages,
                           format_bytes(profile.own_messages->bytes), profile.own_messages->largest_bytes)
             : "";
}

}  // namespace

std::string profile_summary(const MpiProfile& profile) {
  return fmt::format("{}, {}, {}; critical path {} of {} elapsed, {:.1f} % of it in kernels; messages: {} + {}",
                     counted(profile.ranks, "process"), profile.mpi, clock_text(profile), format_seconds(profile.critical_path.time),
                     format_seconds(profile.elapsed), 100 * std::min(1.0, profile.coverage()),
                     format_seconds(profile.message_model.latency), format_bandwidth(profile.message_model.bytes_per_second)) +
         slowest_process(profile) + cores_text(profile) + own_messages(profile);
}

std::vector<report::Table> profile_tables(const MpiProfile& profile, std::size_t max_kernels) {
  std::vector<report::Table> tables = {cost_table(profile)};
  if (!profile.processes.empty()) {
    tables.push_back(process_table(profile));
  }
  tables.push_back(profile_kernel_table(profile, max_kernels));
  return tables;
}

report::Table profile_kernel_table(const MpiProfile& profile, std::size_t max_kernels) {
  return kernel_table<MpiKernel>(
      profile.kernels, max_kernels, profile.critical_path.time,
      {{column<"mpi kernels">("standard_deviation_seconds"),
        [](const MpiKernel& kernel) { return seconds_cell(std::sqrt(kernel.along.variance)); }},
       {column<"mpi kernels">("executed"), [](const MpiKernel& kernel) { return report::whole(kernel.executed.count); }},
       {column<"mpi kernels">("skipped"), [](const MpiKernel& kernel) { return report::whole(kernel.skipped); }}});
}

report::Cell seconds_cell(Seconds seconds) { return {seconds, format_seconds(seconds)}; }

report::Cell percent_cell(double part, double whole) {
  const double value = whole > 0 ? 100 * part / whole : 0;
  return {value, fmt::format("{:.1f}", value)};
}

}  // namespace flopcast::cli
