#include <dlfcn.h>
#include <smpi/mpi.h>

#include "flopcast/preload/smpi/simulation.hpp"

using flopcast::preload::smpi::Simulation;
using flopcast::preload::smpi::simulation;

namespace {

/// Begins a process by `init`. The simulation is made before, because what the first process does from then on counts as its own code.
template <class Init>
int begin(Init init) {
  Simulation* all = simulation();
  const int result = init();
  if (all != nullptr && result == MPI_SUCCESS) {
    all->begin_process();
  }
  return result;
}

}  // namespace

extern "C" {

#pragma GCC visibility push(default)

/// Intercepts the simulator's opening of a copy of the program for each process. The copy must be bound to its own libraries before any
/// others.
void* dlopen(const char* file, int mode) noexcept {
  using Open = void* (*)(const char*, int);
  static const auto next = reinterpret_cast<Open>(dlsym(RTLD_NEXT, "dlopen"));
  void* opened = next(file, mode);
  if (opened != nullptr && (mode & RTLD_DEEPBIND) != 0) {
    flopcast::preload::smpi::intercept_copy(opened);
  }
  return opened;
}

int MPI_Init(int* argc, char*** argv) {
  return begin([&] { return PMPI_Init(argc, argv); });
}

int MPI_Init_thread(int* argc, char*** argv, int required, int* provided) {
  return begin([&] { return PMPI_Init_thread(argc, argv, required, provided); });
}

int MPI_Finalize() {
  if (Simulation* all = simulation(); all != nullptr && all->current() != nullptr) {
    all->end_process();
  }
  return PMPI_Finalize();
}

#pragma GCC visibility pop
}
