#include "flopcast/tasks/mpi/explain.hpp"

#include <fmt/format.h>
#include <signal.h>

#include <algorithm>
#include <cstddef>
#include <utility>

#include "flopcast/program/loaded_libraries.hpp"
#include "flopcast/support/units.hpp"

namespace flopcast {
namespace {

/// Returns whether the user ended the program, or mpirun, which ends all processes where one has failed.
bool was_asked_to_end(int exit_code) {
  constexpr int by_signal = 128;
  return exit_code == by_signal + SIGTERM || exit_code == by_signal + SIGKILL || exit_code == by_signal + SIGINT;
}

bool skips_none(const MpiProfile& profile) noexcept {
  return std::all_of(profile.kernels.begin(), profile.kernels.end(), [](const MpiKernel& kernel) { return kernel.skipped == 0; });
}

/// Returns at most four names, and how many others there are.
std::string listed(const std::vector<std::string>& names) {
  constexpr std::size_t most = 4;
  const std::size_t shown = names.size() > most + 1 ? most : names.size();
  std::string text = fmt::format("{}", fmt::join(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(shown), ", "));
  return shown < names.size() ? fmt::format("{} and {} others", text, names.size() - shown) : text;
}

void add_warnings_about(const MpiOtherTool& tool, std::vector<std::string>& all) {
  const std::string name = tool.library.empty() ? "the program itself" : tool.library;
  if (!tool.functions.empty()) {
    all.push_back(
        fmt::format("{} defines MPI functions, too: {}. They are called before flopcast's, and their time counts as the program's", name,
                    listed(tool.functions)));
  }
  if (!tool.unseen_functions.empty()) {
    all.push_back(fmt::format("{} takes calls that flopcast doesn't see: {}. These functions don't call PMPI, as far as flopcast can tell",
                              name, listed(tool.unseen_functions)));
  }
}

/// Returns the text on the process that waits longest for process `awaited`, or for any process if none waits for that one; empty if none
/// waits for a considerable time.
std::string longest_wait_for(const MpiProfile& profile, int awaited) {
  constexpr double considerable = 0.05;
  const MpiProcess* longest = nullptr;
  for (const MpiProcess& process : profile.processes) {
    const bool counts = process.longest_wait && process.longest_wait->awaited_rank == awaited &&
                        process.longest_wait->seconds > considerable * profile.elapsed;
    longest = counts && (longest == nullptr || process.longest_wait->seconds > longest->longest_wait->seconds) ? &process : longest;
  }
  return longest == nullptr ? ""
                            : fmt::format(". Process {} waited {} for it in {}", longest->rank,
                                          format_seconds(longest->longest_wait->seconds), longest->longest_wait->routine);
}

/// Returns the text on time in which processes did nothing; empty if none did so for a considerable time.
std::string blocked_processes(const MpiProfile& profile) {
  const MpiProcess* most = profile.most_blocked();
  if (most == nullptr) {
    return "";
  }
  const auto others = std::count_if(profile.processes.begin(), profile.processes.end(),
                                    [&](const MpiProcess& process) { return profile.is_blocked(process); }) -
                      1;
  return fmt::format(
      "process {} didn't compute for {} of {} outside of MPI{}, because it slept or waited for something else, such as a file{}. {}",
      most->rank, format_seconds(most->blocked), format_seconds(profile.elapsed),
      others > 0 ? fmt::format(", and {} for less", counted(others, "other process")) : "", longest_wait_for(profile, most->rank),
      profile.clock == protocol::MpiClock::cpu ? "Such time isn't on the critical path, which is CPU time here. --clock wall measures it"
                                               : "Such time counts as computation");
}

}  // namespace

std::string why_no_profile(const MpiRun& run, const MpiRunRequest& request) {
  if (run.stage == protocol::mpi_stage_sessions) {
    return "the program uses sessions (MPI_Session_init) in place of MPI_Init. Sessions aren't traced";
  }
  if (run.stage == protocol::mpi_stage_multiple) {
    return std::string("the program has MPI_THREAD_MULTIPLE, whose threads flopcast doesn't trace. ") +
           (request.thread_multiple
                ? "Try --no-thread-multiple, if less than MPI_THREAD_MULTIPLE suffices"
                : "MPI gave it more than it asked for. The environment may set OMPI_MPI_THREAD_LEVEL or MPIR_CVAR_DEFAULT_THREAD_LEVEL");
  }
  if (run.stage == protocol::mpi_stage_initialised) {
    return "not all processes reached MPI_Finalize";
  }
  if (run.stage == protocol::mpi_stage_writing) {
    return "the process of rank 0 ended before all of it was written";
  }
  if (run.stage.starts_with(protocol::mpi_stage_hidden)) {
    return fmt::format(
        "{} defines MPI_Init and doesn't pass the call on to PMPI_Init in a way that flopcast sees. Run the program without that tool, or "
        "let "
        "the tool call PMPI_Init",
        run.stage.substr(protocol::mpi_stage_hidden.size()));
  }
  if (run.stage == protocol::mpi_stage_loaded) {
    return "the program never called MPI_Init";
  }
  const std::string reason = program::why_not_started(request.command.front(), run.exit_code);
  return !reason.empty() ? reason : "the library was not loaded. The program may have cleared its environment";
}

std::vector<std::string> warnings_about(const MpiProfile& profile) {
  std::vector<std::string> all;
  if (!profile.path_complete) {
    all.emplace_back("a process had more events than are kept, so that some kernels along the path are missing");
  }
  if (profile.spawned_processes > 0) {
    all.push_back(fmt::format("the program spawned {}. Spawned processes aren't traced: waiting for them counts as computation",
                              counted(profile.spawned_processes, "process")));
  }
  if (profile.bypassing_messages > 0) {
    all.push_back(fmt::format(
        "some messages bypass flopcast: at least {:.0f} were sent or received in ways that it doesn't see, or were never received. The "
        "critical path "
        "may lack what led to them",
        profile.bypassing_messages));
  }
  if (profile.prefixed_calls) {
    all.emplace_back(
        "some messages bypass flopcast's MPI_ functions, because the program uses names with PMPI_ or addresses from dlsym. They are "
        "traced all the same");
  }
  if (profile.simultaneous_calls > 0) {
    all.push_back(fmt::format(
        "{} came while another thread of the same process was in one, which needs MPI_THREAD_MULTIPLE. Such calls aren't traced",
        counted(profile.simultaneous_calls, "MPI call")));
  }
  if (profile.sessions) {
    all.emplace_back("the program uses sessions (MPI_Session_init) beside MPI_Init. Sessions aren't traced");
  }
  for (const MpiOtherTool& tool : profile.other_tools) {
    add_warnings_about(tool, all);
  }
  if (std::string blocked = blocked_processes(profile); !blocked.empty()) {
    all.push_back(std::move(blocked));
  }
  return all;
}

std::string noise_of(const MpiProfile& profile) {
  if (profile.clock != protocol::MpiClock::wall || !profile.lacked_cores()) {
    return "";
  }
  const bool is_balanced = profile.imbalance() < MpiProfile::considerable_imbalance;
  return fmt::format("{} got {:.1f} of {}, because other programs kept the cores busy, or cores are too few. Wall times are unreliable{}",
                     counted(profile.ranks, "process"), profile.cores_got().value_or(0), counted(profile.ranks, "core"),
                     is_balanced ? ", and an imbalance isn't the program's" : "");
}

bool skips_kernels(const MpiRunRequest& request) noexcept {
  return request.policy != selective::Policy::full || !request.executions.empty();
}

std::string results_warning(selective::Policy policy) {
  return fmt::format(
      "flopcast: --policy {} skips kernels whose time is known: the program's results will be garbage. A program whose course depends "
      "on its results (a residual check, a loop that ends when it has converged) needs --policy full",
      selective::to_string(policy));
}

std::string end_with_skipped_kernels(const MpiRun& run, const std::optional<MpiProfile>& profile, const MpiRunRequest& request) {
  const std::string_view policy = selective::to_string(request.policy);
  if (run.stalled) {
    return fmt::format(
        "flopcast: the program was stopped: it met no new kernel for {} (--timeout), or made no call for five times as long, while "
        "kernels "
        "were skipped (--policy {}). A program whose course depends on its results, such as a loop that ends when it has converged, never "
        "ends then. Run it with --policy full, or give it more time with --timeout",
        format_seconds(request.timeout), policy);
  }
  const bool none = profile && skips_none(*profile);
  if (run.exit_code != 0 && !was_asked_to_end(run.exit_code) && !none) {
    return fmt::format(
        "flopcast: the program ended with exit code {} while kernels were skipped (--policy {}). Its results were garbage, and its course "
        "may depend on them. Run it with --policy full",
        run.exit_code, policy);
  }
  if (!run.first) {
    return "";
  }
  if (none) {
    return request.executions.empty() ? fmt::format("flopcast: no kernel of the profile was skipped (--policy {})", policy) : "";
  }
  return fmt::format(
      "flopcast: the program's results are garbage, because kernels were skipped (--policy {}). Its times count as far as the program's "
      "course doesn't depend on its results",
      policy);
}

}  // namespace flopcast
