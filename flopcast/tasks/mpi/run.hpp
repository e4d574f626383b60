#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "flopcast/protocol/mpi_options.hpp"
#include "flopcast/support/units.hpp"

namespace flopcast {

/// Outcome of one process of an MPI program that ran with the library preloaded.
struct MpiRun {
  int exit_code = 0;   ///< the program's own, or 128 plus the signal that ended it
  bool first = false;  ///< the process had rank 0, or its rank is unknown
  /// The profile of the whole program, as JSON. Empty for other processes than that of rank 0, and if a process didn't reach MPI_Finalize.
  std::string profile;
  std::string stage;     ///< without a profile: the stage that was reached (mpi_stage_...)
  bool stalled = false;  ///< the program was ended because it stalled (Stall)
};

/// Returns whether this process will have rank 0; true if the launcher doesn't say.
bool is_first_process();

/// Returns the files that the dynamic linker would load for `program`, in its order; none for a script.
std::vector<std::filesystem::path> linked_libraries(const std::filesystem::path& program);

/// Runs one process of an MPI program in the place that mpirun gave this process, and waits for its end. Where kernels are skipped, the
/// program is ended once it has met no new kernel for `timeout`, unless that is 0 (Stall). `mpi` is "openmpi" or "mpich"; if empty,
/// the MPI is the one that the program is linked with, else the one whose mpirun started this process.
/// Throws environment_error if the program can't be traced. Reasons are: there is no such program, its MPI is unknown or isn't its
/// launcher's, or it was built for SMPI. Other reasons are another process that runs without flopcast, or an MPI for which flopcast wasn't
/// built. Throws usage_error if the program is linked with another MPI than `mpi`.
MpiRun run_mpi_program(const std::vector<std::string>& command, const std::string& mpi, protocol::MpiOptions options, Seconds timeout);

}  // namespace flopcast
