#include <link.h>
#include <mpi.h>
#include <unistd.h>

#include <string_view>

#include "flopcast/preload/common/buffer_lock.hpp"
#include "flopcast/preload/common/intercepted_calls.hpp"
#include "flopcast/preload/common/redirect.hpp"
#include "flopcast/preload/mpi/other_tools.hpp"
#include "flopcast/preload/mpi/prefixed_names.hpp"
#include "flopcast/preload/mpi/process_values.hpp"
#include "flopcast/preload/mpi/session.hpp"
#include "flopcast/support/error.hpp"

using flopcast::preload::mpi::function_of_mpi;
using flopcast::preload::mpi::session;
using flopcast::preload::mpi::TracingSession;

namespace {

/// Returns whether a library's name is that of the MPI for which this library isn't built. Where MPICH's library is called libmpi, it has
/// number 12.
bool is_other_mpi(std::string_view path) noexcept {
  const std::string_view name = path.substr(path.rfind('/') + 1);
  const bool is_mpich = name.rfind("libmpich.so", 0) == 0 || name.rfind("libmpi.so.12", 0) == 0;
#ifdef OPEN_MPI
  return is_mpich;
#else
  return !is_mpich && name.rfind("libmpi.so", 0) == 0;
#endif
}

/// Returns whether the other MPI is loaded, because the program is linked with it or has opened it (Python's mpi4py).
bool other_mpi_is_loaded() noexcept {
  return dl_iterate_phdr([](dl_phdr_info* object, std::size_t, void*) { return is_other_mpi(object->dlpi_name) ? 1 : 0; }, nullptr) != 0;
}

/// Ends the process if both MPIs are loaded, and lets flopcast say why. Otherwise the program would crash, or each process would be alone.
void require_one_mpi() noexcept {
  if (const TracingSession* all = session(); all != nullptr && other_mpi_is_loaded()) {
    flopcast::preload::mpi::write_stage(all->options, flopcast::protocol::mpi_stage_foreign);
    _exit(static_cast<int>(flopcast::ExitCode::environment));
  }
}

[[gnu::constructor]] void load() noexcept {
  flopcast::preload::mpi::open_session();  // reports that the library is loaded
  require_one_mpi();
  if (session() != nullptr) {
    flopcast::preload::redirect_calls(flopcast::preload::intercepted_symbol,
                                      {flopcast::preload::locked_deep, flopcast::preload::locked_apart,
                                       flopcast::preload::mpi::layered_function, flopcast::preload::mpi::in_place_of_mpi});
  }
}

/// Returns whether the program has spawned this process. Spawned processes inherit the library and the profile's file, which belong to
/// their parents.
bool is_spawned() noexcept {
  MPI_Comm parent = MPI_COMM_NULL;
  PMPI_Comm_get_parent(&parent);
  return parent != MPI_COMM_NULL;
}

int begin(int result) noexcept {
  if (TracingSession* all = session(); all != nullptr && result == MPI_SUCCESS && !is_spawned()) {
    all->begin();
  }
  return result;
}

/// Counts the processes of `workers`, which `comm` has spawned together, at its process `root`.
int spawned(int result, int root, MPI_Comm comm, const MPI_Comm* workers) noexcept {
  int count = 0;
  if (TracingSession* all = session(); all != nullptr && all->gate.traces_program() && result == MPI_SUCCESS && *workers != MPI_COMM_NULL) {
    PMPI_Comm_remote_size(*workers, &count);
    all->spawned += flopcast::preload::mpi::rank_in(comm) == root ? count : 0;
  }
  return result;
}

}  // namespace

extern "C" {

#pragma GCC visibility push(default)

int PMPI_Init(int* argc, char*** argv) {
  require_one_mpi();
  return begin(function_of_mpi<decltype(PMPI_Init)>("PMPI_Init")(argc, argv));
}

int PMPI_Init_thread(int* argc, char*** argv, int required, int* provided) {
  require_one_mpi();
  const TracingSession* all = session();
  const bool too_much = required == MPI_THREAD_MULTIPLE && all != nullptr && !all->options.thread_multiple;
  const auto next = function_of_mpi<decltype(PMPI_Init_thread)>("PMPI_Init_thread");
  return begin(next(argc, argv, too_much ? MPI_THREAD_SERIALIZED : required, provided));
}

int MPI_Init(int* argc, char*** argv) { return PMPI_Init(argc, argv); }

int MPI_Init_thread(int* argc, char*** argv, int required, int* provided) { return PMPI_Init_thread(argc, argv, required, provided); }

#if MPI_VERSION >= 4
int PMPI_Session_init(MPI_Info info, MPI_Errhandler handler, MPI_Session* made) {
  if (TracingSession* all = session()) {
    all->note_sessions();
  }
  return function_of_mpi<decltype(PMPI_Session_init)>("PMPI_Session_init")(info, handler, made);
}

int MPI_Session_init(MPI_Info info, MPI_Errhandler handler, MPI_Session* made) { return PMPI_Session_init(info, handler, made); }
#endif

int MPI_Comm_spawn(const char* program, char* arguments[], int processes, MPI_Info info, int root, MPI_Comm comm, MPI_Comm* workers,
                   int errors[]) {
  return spawned(PMPI_Comm_spawn(program, arguments, processes, info, root, comm, workers, errors), root, comm, workers);
}

int MPI_Comm_spawn_multiple(int count, char* programs[], char** arguments[], const int processes[], const MPI_Info infos[], int root,
                            MPI_Comm comm, MPI_Comm* workers, int errors[]) {
  return spawned(PMPI_Comm_spawn_multiple(count, programs, arguments, processes, infos, root, comm, workers, errors), root, comm, workers);
}

/// Stops measuring at level 0, and starts it at greater levels.
int PMPI_Pcontrol(const int level, ...) {
  if (TracingSession* all = session(); all != nullptr && all->gate.traces_program()) {
    const auto turn = all->gate.turn();
    all->measure(level > 0);
  }
  return function_of_mpi<decltype(PMPI_Pcontrol)>("PMPI_Pcontrol")(level);
}

int MPI_Pcontrol(const int level, ...) { return PMPI_Pcontrol(level); }

int PMPI_Finalize() {
  if (TracingSession* all = session(); all != nullptr && all->gate.is_open()) {
    all->end();
  }
  return function_of_mpi<decltype(PMPI_Finalize)>("PMPI_Finalize")();
}

int MPI_Finalize() { return PMPI_Finalize(); }

#pragma GCC visibility pop
}
