#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace flopcast::interpose {

/// Settings of one simulation of an MPI program by SimGrid's SMPI.
struct SmpiSimulation {
  std::vector<std::string> command;  ///< the program, built for SMPI, and its arguments
  int ranks = 1;
  std::string platform_xml;            ///< SimGrid's description of the machine
  std::string hosts;                   ///< one line per process
  int processes_per_host = 1;          ///< upper limit
  std::vector<std::string> arguments;  ///< command-line settings of the simulator
  std::int64_t eager_bytes = 0;
  double flops_per_second = 0;        ///< speed of this machine's cores in the platform description
  nlohmann::json times;               ///< kernels' times
  std::int64_t max_traced_calls = 0;  ///< upper limit of traced calls in the result
  bool only_kernels = false;          ///< only kernels and messages take time
  bool show_output = false;           ///< show the program's output on standard error
};

/// Returns whether `file` is linked by SMPI's compilers: a shared library that needs SimGrid. (A usual program names an interpreter.)
bool is_built_for_smpi(const std::filesystem::path& file);

/// Checks that `program` can be simulated. Throws environment_error if flopcast was built without SimGrid or SimGrid is gone, bad_input if
/// the program is missing or wasn't built with SMPI's compilers.
void require_simulable(const std::string& program);

/// Simulates the program in a scratch folder that is removed in any case. Returns the result file's document. Throws unusable_measurement,
/// with the last lines of the simulator's output, if the program fails or a process doesn't reach MPI_Finalize.
nlohmann::json run_simulation(const SmpiSimulation& simulation);

}  // namespace flopcast::interpose
