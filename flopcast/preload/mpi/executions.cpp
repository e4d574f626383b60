#include <mpi.h>

#include <cstdint>
#include <optional>
#include <vector>

#include "flopcast/preload/mpi/results.hpp"
#include "flopcast/preload/mpi/session.hpp"
#include "flopcast/preload/mpi/shadow.hpp"

/// Executes several configurations in one launch. Later executions use the kernel times of earlier ones.
namespace flopcast::preload::mpi {
/// Broadcasts values of rank 0's combined kernels. `what(kernel)` returns a kernel's value, if it has one, and all processes call
/// `take(number, value)`.
template <class What, class Take>
void Session::broadcast_values(What what, Take take) {
  using Value = typename decltype(what(kernels_[0]))::value_type;
  struct Announcement {
    selective::KernelKey key;
    Value value;
  };
  PageVector<Announcement> all;
  for (const selective::Kernel& kernel : kernels_.kernels()) {
    if (const auto value = what(kernel)) {
      all.push_back({kernel.key, *value});
    }
  }
  broadcast_records(world_, all);
  for (const Announcement& each : all) {
    take(kernels_.number(each.key), each.value);
  }
}

/// Broadcasts how often kernels lay on the critical path.
void Session::broadcast_counts_along() {
  broadcast_values([](const selective::Kernel& kernel) { return std::optional(kernel.along.count); },
                   [this](std::uint32_t number, std::int64_t along) { decisions_.count_along(number, along); });
}

/// Broadcasts the kernels' times in the program's context. Regions are left out, because only processes that have executed a region know
/// that it doesn't call MPI.
void Session::broadcast_times() {
  const auto times_of = [](const selective::Kernel& kernel) {
    const bool any = kernel.in_context.count > 0 && kernel.key.kind != selective::KernelKind::region;
    return any ? std::optional(kernel.in_context) : std::nullopt;
  };
  broadcast_values(times_of, [this](std::uint32_t number, const selective::KernelStatistics& times) { decisions_.share(number, times); });
}

void Session::begin_execution(std::size_t number, Seconds before) {
  const bool counts_for_it =
      executions_.progress() == LaunchExecutions::Progress::running && options_.policy == selective::Policy::conditional;
  executions_.go_on_with(number);
  options_.policy = executions_.current().policy;
  if (counts_for_it && options_.policy == selective::Policy::a_priori) {
    broadcast_counts_along();
  }
  decisions_.begin_execution(options_.policy, before, executions_.current().times_are_used);
  set_count_propagation(options_.policy == selective::Policy::online);
  skipping_.set(false);  // the program sets up its data again
  if (rank_ == 0) {
    append_beginning(options_, number);
  }
}

/// Writes nothing for an execution that was begun and not measured. A program that leaves its loop over configurations by `break` is
/// launched again.
Seconds Session::finish_execution() {
  const ProfileFacts facts = conclude();
  if (rank_ == 0 && facts.elapsed > 0) {
    append_profile(options_, executions_.number(), facts, kernels_.kernels(), regions_);
    executions_.compare_calls(facts.calls);
  }
  if (decisions_.has_windows()) {
    broadcast_times();
  }
  double known = decisions_.known_share();
  PMPI_Allreduce(MPI_IN_PLACE, &known, 1, MPI_DOUBLE, MPI_MIN, world_);
  decisions_.space_windows(known);
  return facts.longest.along.time;
}

/// The first execution is that of the command line. Later ones are the next that the program can go on with.
bool Session::next_configuration() {
  using Progress = LaunchExecutions::Progress;
  if (executions_.progress() == Progress::finished) {
    return false;
  }
  leave_program();
  if (executions_.progress() == Progress::running) {
    const Seconds before = finish_execution();
    const std::optional<std::size_t> next = executions_.next(world_);
    if (!next) {
      executions_.set_progress(Progress::finished);
      return_to_program();
      return false;
    }
    begin_execution(*next, before);
  }
  executions_.set_progress(Progress::running);
  count_anew();
  return_to_program();
  return true;
}

}  // namespace flopcast::preload::mpi
