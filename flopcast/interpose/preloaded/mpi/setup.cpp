#include <mpi.h>

#include "flopcast/interpose/preloaded/mpi/session.hpp"

using flopcast::interpose::mpi::Session;
using flopcast::interpose::mpi::session;

namespace {

[[gnu::constructor]] void load() noexcept { flopcast::interpose::mpi::open_session(); }  // says that the library is there

int begin(int result) noexcept {
  if (Session* all = session(); all != nullptr && result == MPI_SUCCESS) {
    all->begin();
  }
  return result;
}

}  // namespace

extern "C" {

#pragma GCC visibility push(default)

int MPI_Init(int* argc, char*** argv) { return begin(PMPI_Init(argc, argv)); }

int MPI_Init_thread(int* argc, char*** argv, int required, int* provided) {
  const Session* all = session();
  const bool too_much = required == MPI_THREAD_MULTIPLE && all != nullptr && !all->grants_thread_multiple();
  return begin(PMPI_Init_thread(argc, argv, too_much ? MPI_THREAD_SERIALIZED : required, provided));
}

int MPI_Finalize() {
  if (Session* all = session(); all != nullptr && all->follows_this_thread()) {
    all->end();
  }
  return PMPI_Finalize();
}

#pragma GCC visibility pop
}
