#include "flopcast/preload/mpi/launch_executions.hpp"

#include <cstdint>
#include <cstdio>
#include <exception>
#include <fstream>
#include <sstream>

#include "flopcast/preload/mpi/process_values.hpp"

namespace flopcast::preload::mpi {
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

void LaunchExecutions::read(const std::string& file, MPI_Comm world) {
  const int rank = rank_in(world);
  std::string text = rank == 0 && !file.empty() ? contents(file) : std::string();
  broadcast(text, world);
  if (file.empty()) {
    return;
  }
  try {
    all_ = protocol::MpiExecutions(protocol::parse_mpi_executions(text));
  } catch (const std::exception& error) {
    if (rank == 0) {
      std::fprintf(stderr, "flopcast: %s: %s\n", file.c_str(), error.what());
    }
    PMPI_Abort(MPI_COMM_WORLD, 3);
  }
}

std::optional<std::size_t> LaunchExecutions::next(MPI_Comm world) {
  const std::optional<std::size_t> found = all_.next();
  std::int64_t next = found && !calls_differ_ ? static_cast<std::int64_t>(*found) : -1;
  PMPI_Bcast(&next, 1, MPI_INT64_T, 0, world);
  return next < 0 ? std::nullopt : std::optional(static_cast<std::size_t>(next));
}

void LaunchExecutions::compare_calls(const std::vector<MpiCallSequence>& calls) {
  const auto& parameters = current().parameters;
  const bool in_full = current().policy == selective::Policy::full;
  (in_full ? full_calls_ : selective_calls_)[parameters] = calls;
  const CallsByParameters& others = in_full ? selective_calls_ : full_calls_;
  const auto other = others.find(parameters);
  calls_differ_ = calls_differ_ || (other != others.end() && other->second != calls);
}

}  // namespace flopcast::preload::mpi
