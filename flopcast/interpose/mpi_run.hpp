#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "flopcast/core/units.hpp"
#include "flopcast/interpose/mpi_options.hpp"

namespace flopcast::interpose {

/// One process of an MPI program that was run with the library in front of it.
struct MpiRun {
  int exit_code = 0;   ///< the program's own, or 128 plus the signal that ended it
  bool first = false;  ///< it had rank 0, or its rank is unknown
  std::string
      profile;        ///< of the whole program, as JSON; empty but in the process of rank 0, and if not all processes reached MPI_Finalize
  std::string stage;  ///< without a profile: how far it got (mpi_stage_...)
  bool stood_still = false;  ///< it was ended, as it met no new kernel for longer than was to be waited (Standstill)
};

/// Whether this process will be rank 0, as far as the launcher tells; true if it doesn't.
bool is_first_process();

/// The files that the dynamic linker would load for `program`, in its order; none for a script.
std::vector<std::filesystem::path> linked_libraries(const std::filesystem::path& program);

/// The MPI that `program` is linked with: "openmpi" or "mpich", nothing if it is linked with neither (a script, or a library opened at run
/// time).
std::optional<std::string> linked_mpi(const std::filesystem::path& program);

/// Runs one process of an MPI program, as mpirun has started us, and waits for its end. Where kernels are left out the program is ended once
/// it has met no new kernel for `patience`, if that isn't 0: it goes by its results (Standstill). `mpi` is "openmpi" or "mpich", empty to go by what
/// the program is linked with, else by who started us. Throws environment_error if there is no such program, neither tells which MPI it is,
/// the MPIs of the program and of its launcher differ, another process of the program runs without flopcast, it was built for SMPI, or
/// flopcast was built without it; usage_error if `mpi` isn't the program's.
MpiRun run_mpi_program(const std::vector<std::string>& command, const std::string& mpi, MpiOptions options, Seconds patience);

}  // namespace flopcast::interpose
