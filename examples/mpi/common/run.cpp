#include "run.hpp"

#include <malloc.h>
#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "flopcast/regions.h"

namespace subject {
namespace {

/// Keeps the memory of freed matrices in the process. Otherwise each of the many temporary matrices would begin with page faults, which
/// would be a large part of the time between kernels.
void keep_memory() {
  mallopt(M_MMAP_THRESHOLD, 32 << 20);
  mallopt(M_TRIM_THRESHOLD, -1);
}

}  // namespace

int run(int argc, char** argv, const char* usage, Subject subject) {
  keep_memory();
  MPI_Init(&argc, &argv);
  flopcast_stop();
  const std::string path = argc > 0 ? argv[0] : "";
  const std::string name = path.substr(path.rfind('/') + 1);
  int code = 0;
  try {
    while (flopcast_next_configuration() != 0) {
      CommandLine line(argc, argv);
      code = std::max(code, subject(line) ? 0 : 1);
    }
  } catch (const UsageError& error) {  // every process has the same words, so that every process throws
    if (world_rank() == 0) {
      std::fprintf(stderr, "%s: %s\nusage: %s %s\n", name.c_str(), error.what(), name.c_str(), usage);
    }
    code = 2;
  } catch (const std::exception& error) {
    stop(error.what());
  }
  MPI_Finalize();
  return code;
}

void stop(const std::string& why) {
  std::fprintf(stderr, "rank %d: %s\n", world_rank(), why.c_str());
  MPI_Abort(MPI_COMM_WORLD, 1);
  std::abort();  // MPI_Abort may return
}

double seconds_of(const std::function<void()>& work) {
  MPI_Barrier(MPI_COMM_WORLD);
  flopcast_start();
  const double start = MPI_Wtime();
  work();
  MPI_Barrier(MPI_COMM_WORLD);
  const double seconds = MPI_Wtime() - start;
  flopcast_stop();
  return seconds;
}

int world_size() {
  int size = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  return size;
}

int world_rank() {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

}  // namespace subject
