#include <mpi.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "flopcast/preload/mpi/session.hpp"
#include "flopcast/preload/mpi/shadow.hpp"

/// Executes several configurations in one launch. Later executions use the kernel times of earlier ones.
namespace flopcast::interpose::mpi {
namespace {

std::string contents(const std::string& file) {
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

/// Broadcasts rank 0's `text` to all processes.
void broadcast(std::string& text, MPI_Comm world) {
  auto length = static_cast<std::int64_t>(text.size());
  PMPI_Bcast(&length, 1, MPI_INT64_T, 0, world);
  text.resize(static_cast<std::size_t>(length));
  PMPI_Bcast(text.data(), static_cast<int>(length), MPI_CHAR, 0, world);
}

}  // namespace

/// Reads this launch's list of executions at rank 0, and broadcasts it.
void Session::read_executions() {
  std::string text = rank_ == 0 && !options_.executions.empty() ? contents(options_.executions) : std::string();
  broadcast(text, world_);
  if (options_.executions.empty()) {
    return;
  }
  try {
    executions_ = MpiExecutions(parse_mpi_executions(text));
  } catch (const std::exception& error) {
    if (rank_ == 0) {
      std::fprintf(stderr, "flopcast: %s: %s\n", options_.executions.c_str(), error.what());
    }
    PMPI_Abort(MPI_COMM_WORLD, 3);
  }
  begin_execution(0, 0);
}

/// Broadcasts values of rank 0's combined kernels. `what(kernel)` returns a kernel's value, if it has one, and all processes call
/// `take(number, value)`.
template <class What, class Take>
void Session::tell_all(What what, Take take) {
  using Value = typename decltype(what(kernels_[0]))::value_type;
  struct Told {
    path::KernelKey key;
    Value value;
  };
  PageVector<Told> all;
  for (const path::Kernel& kernel : kernels_.kernels()) {
    if (const auto value = what(kernel)) {
      all.push_back({kernel.key, *value});
    }
  }
  auto length = static_cast<std::int64_t>(all.size());
  PMPI_Bcast(&length, 1, MPI_INT64_T, 0, world_);
  all.resize(static_cast<std::size_t>(length));
  constexpr std::int64_t most = 1024;  // in one message
  for (std::int64_t first = 0; first < length; first += most) {
    const std::int64_t part = std::min(most, length - first);
    PMPI_Bcast(all.data() + first, static_cast<int>(part * static_cast<std::int64_t>(sizeof(Told))), MPI_BYTE, 0, world_);
  }
  for (const Told& each : all) {
    take(kernels_.number(each.key), each.value);
  }
}

/// Broadcasts how often kernels lay on the critical path.
void Session::tell_counts_along() {
  tell_all([](const path::Kernel& kernel) { return std::optional(kernel.along.count); },
           [this](std::uint32_t number, std::int64_t along) { decisions_.count_along(number, along); });
}

/// Broadcasts the kernels' times in the program's context. Regions are left out, because only processes that have executed a region know
/// that it doesn't call MPI.
void Session::tell_times() {
  const auto times_of = [](const path::Kernel& kernel) {
    const bool any = kernel.in_context.count > 0 && kernel.key.kind != path::KernelKind::region;
    return any ? std::optional(kernel.in_context) : std::nullopt;
  };
  tell_all(times_of, [this](std::uint32_t number, const path::KernelStatistics& times) { decisions_.share(number, times); });
}

void Session::begin_execution(std::size_t number, Seconds before) {
  const bool counts_for_it = progress_ == Progress::running && options_.policy == path::Policy::conditional;
  executions_.go_on_with(number);
  options_.policy = executions_.current().policy;
  if (counts_for_it && options_.policy == path::Policy::a_priori) {
    tell_counts_along();
  }
  decisions_.begin_execution(options_.policy, before, executions_.current().teaches);
  set_count_propagation(options_.policy == path::Policy::online);
  set_skipped(false);  // the program sets up its data again
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
    compare_calls(facts.calls);
  }
  if (decisions_.has_windows()) {
    tell_times();
  }
  double known = decisions_.known_share();
  PMPI_Allreduce(MPI_IN_PLACE, &known, 1, MPI_DOUBLE, MPI_MIN, world_);
  decisions_.space_windows(known);
  return facts.longest.along.time;
}

void Session::compare_calls(const std::vector<CallSequence>& calls) {
  const auto& parameters = executions_.current().parameters;
  (in_full() ? full_calls_ : selective_calls_)[parameters] = calls;
  const CallsByParameters& others = in_full() ? selective_calls_ : full_calls_;
  const auto other = others.find(parameters);
  calls_differ_ = calls_differ_ || (other != others.end() && other->second != calls);
}

/// The first execution is that of the command line. Later ones are the next that the program can go on with, which rank 0 finds. There is
/// none if the program is steered by its results; flopcast then starts it anew with full executions.
bool Session::next_configuration() {
  if (progress_ == Progress::finished) {
    return false;
  }
  leave_program();
  Seconds before = 0;
  std::int64_t next = 0;
  if (progress_ == Progress::running) {
    before = finish_execution();
    const std::optional<std::size_t> found = executions_.next();
    next = found && !calls_differ_ ? static_cast<std::int64_t>(*found) : -1;
    PMPI_Bcast(&next, 1, MPI_INT64_T, 0, world_);
  }
  if (next < 0) {
    progress_ = Progress::finished;
    return_to_program();
    return false;
  }
  if (progress_ == Progress::running) {
    begin_execution(static_cast<std::size_t>(next), before);
  }
  progress_ = Progress::running;
  count_anew();
  return_to_program();
  return true;
}

}  // namespace flopcast::interpose::mpi
