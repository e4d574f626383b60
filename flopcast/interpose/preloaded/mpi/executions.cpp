#include <mpi.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "flopcast/interpose/preloaded/mpi/session.hpp"
#include "flopcast/interpose/preloaded/mpi/shadow.hpp"

/// Several configurations in one launch: what one execution teaches of kernels' times the next one knows.
namespace flopcast::interpose::mpi {
namespace {

std::string contents(const std::string& file) {
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

/// Rank 0's `text` in all processes.
void broadcast(std::string& text, MPI_Comm world) {
  auto length = static_cast<std::int64_t>(text.size());
  PMPI_Bcast(&length, 1, MPI_INT64_T, 0, world);
  text.resize(static_cast<std::size_t>(length));
  PMPI_Bcast(text.data(), static_cast<int>(length), MPI_CHAR, 0, world);
}

}  // namespace

/// What this launch is asked for, which rank 0 reads and tells all.
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

/// How often which kernels lay on the critical path, which rank 0 has put together, becomes known to all.
void Session::tell_counts_along() {
  struct Count {
    path::KernelKey key;
    std::int64_t along = 0;
  };
  std::vector<Count> counts;
  for (const path::Kernel& kernel : kernels_.kernels()) {
    counts.push_back({kernel.key, kernel.along.count});
  }
  auto length = static_cast<std::int64_t>(counts.size());
  PMPI_Bcast(&length, 1, MPI_INT64_T, 0, world_);
  counts.resize(static_cast<std::size_t>(length));
  constexpr std::int64_t most = 1024;  // in one message
  for (std::int64_t first = 0; first < length; first += most) {
    const std::int64_t part = std::min(most, length - first);
    PMPI_Bcast(counts.data() + first, static_cast<int>(part * static_cast<std::int64_t>(sizeof(Count))), MPI_BYTE, 0, world_);
  }
  for (const Count& count : counts) {
    decisions_.count_along(kernels_.number(count.key), count.along);
  }
}

void Session::begin_execution(std::size_t number, Seconds before) {
  const bool counts_for_it = progress_ == Progress::running && options_.policy == path::Policy::conditional;
  executions_.go_on_with(number);
  options_.policy = executions_.current().policy;
  if (counts_for_it && options_.policy == path::Policy::a_priori) {
    tell_counts_along();
  }
  decisions_.begin_execution(options_.policy, before, executions_.current().teaches);
  let_counts_travel(options_.policy == path::Policy::online);
  has_skipped_ = false;  // the program makes its data anew
  if (rank_ == 0) {
    append_beginning(options_, number);
  }
}

Seconds Session::finish_execution() {
  const ProfileFacts facts = conclude();
  if (rank_ == 0) {
    append_profile(options_, executions_.number(), facts, kernels_.kernels(), regions_);
    compare_calls(facts.calls);
  }
  double known = decisions_.known_share();
  PMPI_Allreduce(MPI_IN_PLACE, &known, 1, MPI_DOUBLE, MPI_MIN, world_);
  decisions_.space_windows(known);
  return facts.longest.along.time;
}

void Session::compare_calls(const std::vector<CallSequence>& calls) {
  const bool in_full = options_.policy == path::Policy::full;
  const auto& parameters = executions_.current().parameters;
  (in_full ? full_calls_ : selective_calls_)[parameters] = calls;
  const CallsByParameters& others = in_full ? selective_calls_ : full_calls_;
  const auto other = others.find(parameters);
  calls_differ_ = calls_differ_ || (other != others.end() && other->second != calls);
}

/// The first time there is the one that the command line says; then, as rank 0 finds, the next that the program can go on with. None if the
/// program goes by its results: whoever started it begins anew with executions in full.
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
