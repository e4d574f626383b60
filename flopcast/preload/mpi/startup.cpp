#include "flopcast/preload/mpi/startup.hpp"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <functional>
#include <string>

#include "flopcast/preload/kernels/wall_clock.hpp"
#include "flopcast/preload/mpi/piggyback.hpp"
#include "flopcast/preload/mpi/process_values.hpp"
#include "flopcast/support/control_group.hpp"
#include "flopcast/support/error.hpp"
#include "flopcast/support/page_allocator.hpp"

namespace flopcast::preload::mpi {
namespace {

constexpr int ping_tag = 2;

/// Waits for all processes without taking a core from those that measure.
void wait_asleep(MPI_Comm comm) {
  MPI_Request request = MPI_REQUEST_NULL;
  PMPI_Ibarrier(comm, &request);
  int done = 0;
  PMPI_Test(&request, &done, MPI_STATUS_IGNORE);
  while (done == 0) {
    constexpr useconds_t nap = 200;
    usleep(nap);
    PMPI_Test(&request, &done, MPI_STATUS_IGNORE);
  }
}

/// Returns half the shortest of `repetitions` round trips of `bytes` between ranks 0 and 1.
Seconds ping(MPI_Comm comm, int rank, int bytes, int repetitions) {
  PageVector<char> buffer(static_cast<std::size_t>(bytes));
  Seconds best = 1;
  for (int i = 0; i < repetitions; ++i) {
    const Seconds start = FastWallClock::now();
    if (rank == 0) {
      PMPI_Send(buffer.data(), bytes, MPI_BYTE, 1, ping_tag, comm);
    }
    PMPI_Recv(buffer.data(), bytes, MPI_BYTE, 1 - rank, ping_tag, comm, MPI_STATUS_IGNORE);
    if (rank == 1) {
      PMPI_Send(buffer.data(), bytes, MPI_BYTE, 0, ping_tag, comm);
    }
    best = std::min(best, (FastWallClock::now() - start) / 2);
  }
  return best;
}

/// Returns the number of processes of `node` in this process's control group `group`.
int count_sharing(MPI_Comm node, const std::filesystem::path& group) {
  constexpr std::size_t max_color = 0x7FFFFFFF;
  MPI_Comm same = MPI_COMM_NULL;
  PMPI_Comm_split(node, static_cast<int>(std::hash<std::string>()(group.string()) & max_color), 0, &same);
  const int sharing = processes_in(same);
  PMPI_Comm_free(&same);
  return sharing;
}

}  // namespace

void require_same_options(const protocol::MpiOptions& options, MPI_Comm world) {
  protocol::MpiOptions shared = options;
  shared.profile.clear();
  shared.progress.clear();
  const std::uint64_t mine = std::hash<std::string>()(protocol::to_text(shared));
  std::array<std::uint64_t, 2> extremes = {mine, ~mine};
  PMPI_Allreduce(MPI_IN_PLACE, extremes.data(), 2, MPI_UINT64_T, MPI_MAX, world);
  if (extremes[0] == ~extremes[1]) {
    return;
  }
  const int rank = rank_in(world);
  if (rank != 0) {
    PMPI_Barrier(world);  // until rank 0 has printed the message and ends all processes
  }
  std::fprintf(stderr,
               "flopcast: the programs are traced with different options, and would wait for each other. Give every 'flopcast mpi run' "
               "the same options\n");
  constexpr timespec moment{0, 300'000'000};
  nanosleep(&moment, nullptr);  // a launcher may drop what a process printed right before its abort
  PMPI_Abort(MPI_COMM_WORLD, static_cast<int>(ExitCode::usage));
}

NodeFacts join_node(MPI_Comm world) {
  MPI_Comm node = MPI_COMM_NULL;
  PMPI_Comm_split_type(world, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
  const int processes = processes_in(node);
  cpu_set_t mine;
  CPU_ZERO(&mine);
  sched_getaffinity(0, sizeof mine, &mine);
  cpu_set_t all;
  PMPI_Allreduce(&mine, &all, static_cast<int>(sizeof mine), MPI_BYTE, MPI_BOR, node);
  const ControlGroupLimits limits = control_group_limits();
  const int sharing = count_sharing(node, limits.cpu_group);
  const bool waits = is_crowded(processes, CPU_COUNT(&all), sharing, limits.cpus);
  const double granted = waits && processes <= CPU_COUNT(&all) ? limits.cpus : 0;
  connect_piggyback(world, node, waits);
  PMPI_Comm_free(&node);
  return {of_all(world, waits ? 1 : 0, MPI_MAX) != 0, granted};
}

path::MessageModel measure_messages(MPI_Comm world, bool cpu_clock) {
  const int rank = rank_in(world), size = processes_in(world);
  if (size < 2) {
    return {};
  }
  std::array<double, 2> found{};
  if (rank < 2) {
    constexpr int large = 1 << 20;
    const int rounds = cpu_clock ? 5 : 1;  // with naps between, because a process that shares a core sometimes waits milliseconds for it
    Seconds short_one = 1, long_one = 1;
    for (int i = 0; i < rounds; ++i) {
      if (i > 0) {
        constexpr useconds_t nap = 500;
        usleep(nap);
      }
      short_one = std::min(short_one, ping(world, rank, 8, 100));
      long_one = std::min(long_one, ping(world, rank, large, 8));
    }
    const Seconds transfer = long_one - short_one;
    constexpr double hardly_possible = 1e12;  // bytes/s
    const bool tells = transfer > large / hardly_possible;
    found = {tells ? short_one : std::min(short_one, path::MessageModel().latency), large / (tells ? transfer : long_one)};
  }
  wait_asleep(world);
  PMPI_Bcast(found.data(), 2, MPI_DOUBLE, 0, world);
  return {found[0], found[1]};
}

}  // namespace flopcast::preload::mpi
