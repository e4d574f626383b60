#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "flopcast/core/trace.hpp"
#include "flopcast/protocol/smpi_options.hpp"
#include "flopcast/support/units.hpp"
#include "flopcast/tasks/mpi/mpi.hpp"

namespace flopcast {

/// Time that a simulation takes for a kernel.
struct SmpiKernelTime {
  std::string routine;
  std::vector<std::int64_t> words;
  Seconds seconds = 0;
};

/// Calls of one simulated process.
struct SmpiTrace {
  Trace trace;
  std::vector<std::size_t> kernels;  ///< place of every call's kernel in the result's list
};

/// Result of one simulation.
struct SmpiResult {
  SimulatedRun run;
  std::vector<SmpiTrace> traces;
};

/// Settings of one simulation of an MPI program by SimGrid's SMPI.
struct SmpiSimulation {
  std::vector<std::string> command;  ///< the program, built for SMPI, and its arguments
  int ranks = 1;
  std::string platform_xml;            ///< SimGrid's description of the machine
  std::string hosts;                   ///< one line per process
  int processes_per_host = 1;          ///< upper limit
  std::vector<std::string> arguments;  ///< command-line settings of the simulator
  protocol::SmpiOptions options;       ///< without files
  std::vector<SmpiKernelTime> times;
  bool show_output = false;  ///< show the program's output on standard error
};

/// Returns whether `file` is linked by SMPI's compilers: a shared library that needs SimGrid. (A usual program names an interpreter.)
bool is_built_for_smpi(const std::filesystem::path& file);

/// Returns the libraries that the simulator and `program`, which is built for SMPI, load. Returns none without SimGrid, or if the program's
/// path has a blank or a colon.
std::vector<std::filesystem::path> simulated_libraries(const std::filesystem::path& program);

/// Checks that `program` can be simulated. Throws environment_error if flopcast was built without SimGrid or SimGrid is gone, bad_input if
/// the program is missing or wasn't built with SMPI's compilers.
void require_simulable(const std::string& program);

/// Simulates the program in a scratch folder that is removed in any case. Throws unusable_measurement,
/// with the last lines of the simulator's output, if the program fails or a process doesn't reach MPI_Finalize.
[[nodiscard]] SmpiResult run_simulation(const SmpiSimulation& simulation);

}  // namespace flopcast
