#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "flopcast/cli/mpi/tables.hpp"

namespace flopcast::cli {
namespace {

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
    const Seconds computing = profile.computing(most);
    return fmt::format("; process {} computes most: {}{}, {:.2f} times the mean", most.rank, format_seconds(computing),
                       most.own.computation < MpiProfile::considerable_imbalance * computing
                           ? ""
                           : fmt::format(" on a core, of {} outside of MPI", format_seconds(most.own.computation)),
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
  const path::Costs& path = profile.critical_path;
  const auto percent = [&path](Seconds part) { return path.time > 0 ? 100 * std::min(1.0, part / path.time) : 0; };
  return fmt::format(
             "{}, {}, {}; elapsed wall time {} from MPI_Init to MPI_Finalize; critical path, the longest chain of computation "
             "and messages, {}: {:.1f} % of it in kernels, {:.1f} % in MPI, {:.1f} % in own code; messages: {} + {}",
             counted(profile.ranks, "process"), profile.mpi, clock_text(profile), format_seconds(profile.elapsed),
             format_seconds(path.time), percent(profile.kernel_seconds()), percent(path.communication + path.idle),
             percent(profile.own_code), format_seconds(profile.message_model.latency),
             format_bandwidth(profile.message_model.bytes_per_second)) +
         slowest_process(profile) + cores_text(profile) + own_messages(profile);
}

}  // namespace flopcast::cli
