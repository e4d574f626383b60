#include <mpi.h>

#include <cstdint>
#include <optional>

#include "flopcast/preload/mpi/piggyback.hpp"
#include "flopcast/preload/mpi/process_values.hpp"
#include "flopcast/preload/mpi/results.hpp"
#include "flopcast/preload/mpi/session.hpp"

/// Executes several configurations in one launch. Later executions use the kernel times of earlier ones.
namespace flopcast::preload::mpi {
namespace {

/// Broadcasts values of rank 0's combined kernels. `what(kernel)` returns a kernel's value, if it has one, and all processes call
/// `take(number, value)`.
template <class What, class Take>
void broadcast_values(MPI_Comm world, selective::KernelTable& kernels, What what, Take take) {
  using Value = typename decltype(what(kernels[0]))::value_type;
  struct Announcement {
    selective::KernelKey key;
    Value value;
  };
  PageVector<Announcement> all;
  for (const selective::KernelRecord& kernel : kernels.kernels()) {
    if (const auto value = what(kernel)) {
      all.push_back({kernel.key, *value});
    }
  }
  broadcast_records(world, all);
  for (const Announcement& each : all) {
    take(kernels.number(each.key), each.value);
  }
}

/// Broadcasts how often kernels lay on the critical path.
void broadcast_counts_along(MPI_Comm world, KernelDecisions& kernels) {
  broadcast_values(
      world, kernels.table, [](const selective::KernelRecord& kernel) { return std::optional(kernel.along.count); },
      [&kernels](std::uint32_t number, std::int64_t along) { kernels.decisions.count_along(number, along); });
}

/// Broadcasts the kernels' times in the program's context. Regions are skipped, because only processes that have executed a region know
/// that it doesn't call MPI.
void broadcast_times(MPI_Comm world, KernelDecisions& kernels) {
  const auto times_of = [](const selective::KernelRecord& kernel) {
    const bool any = kernel.in_context.count > 0 && kernel.key.kind != selective::KernelKind::region;
    return any ? std::optional(kernel.in_context) : std::nullopt;
  };
  broadcast_values(world, kernels.table, times_of,
                   [&kernels](std::uint32_t number, const selective::KernelStatistics& times) { kernels.decisions.share(number, times); });
}

}  // namespace

void TracingSession::begin_execution(std::size_t number, Seconds before) {
  const bool counts_for_it =
      executions.progress() == LaunchExecutions::Progress::running && options.policy == selective::Policy::conditional;
  executions.go_on_with(number);
  options.policy = executions.current().policy;
  if (counts_for_it && options.policy == selective::Policy::a_priori) {
    broadcast_counts_along(world_, kernels);
  }
  kernels.decisions.begin_execution(options.policy, before, executions.current().times_are_used);
  set_count_propagation(options.policy == selective::Policy::online);
  skipping.set(false);  // the program sets up its data again
  if (rank_ == 0) {
    append_beginning(options, number);
  }
}

/// Writes nothing for an execution that was begun and not measured. A program that leaves its loop over configurations by `break` is
/// launched again.
Seconds TracingSession::finish_execution() {
  MpiProfile profile = conclude();
  if (rank_ == 0 && profile.elapsed > 0) {
    profile.kernel_sums = sums_of(kernels.table.kernels());
    append_profile(options, executions.number(), profile, kernels.table.kernels(), regions);
    executions.compare_calls(profile.calls);
  }
  if (kernels.decisions.has_windows()) {
    broadcast_times(world_, kernels);
  }
  kernels.decisions.space_windows(of_all(world_, kernels.decisions.known_share(), MPI_MIN));
  return profile.critical_path.time;
}

/// The first execution is that of the command line. Later ones are the next that the program can go on with.
bool TracingSession::next_configuration() {
  using Progress = LaunchExecutions::Progress;
  if (executions.progress() == Progress::finished) {
    return false;
  }
  ledger.leave_program();
  if (executions.progress() == Progress::running) {
    const Seconds before = finish_execution();
    const std::optional<std::size_t> next = executions.next(world_);
    if (!next) {
      executions.set_progress(Progress::finished);
      clock.return_to_program();
      return false;
    }
    begin_execution(*next, before);
  }
  executions.set_progress(Progress::running);
  count_anew();
  clock.return_to_program();
  return true;
}

}  // namespace flopcast::preload::mpi
