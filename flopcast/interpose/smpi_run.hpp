#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace flopcast::interpose {

/// One simulation of an MPI program by SimGrid's SMPI.
struct SmpiSimulation {
  std::vector<std::string> command;  ///< the program, built for SMPI, and its arguments
  int ranks = 1;
  std::string platform_xml;            ///< SimGrid's description of the machine
  std::string hosts;                   ///< one line per process
  int processes_per_host = 1;          ///< at most
  std::vector<std::string> arguments;  ///< settings of the simulator
  std::int64_t eager_bytes = 0;
  double flops_per_second = 0;         ///< of this machine's cores in that description
  nlohmann::json times;                ///< kernels' times
  std::int64_t most_traced_calls = 0;  ///< that the result holds as traces
  bool only_kernels = false;           ///< nothing but kernels and messages takes time
  bool show_output = false;            ///< of the program; on standard error
};

/// Whether `file` is what SMPI's compilers link: a shared library that needs SimGrid. (A program proper names an interpreter.)
bool is_built_for_smpi(const std::filesystem::path& file);

/// Checks that `program` can be simulated. Throws environment_error if flopcast was built without SimGrid or SimGrid isn't there any more,
/// bad_input if the program isn't there or wasn't built with SMPI's compilers.
void require_simulable(const std::string& program);

/// Simulates it, in a scratch folder of its own that is removed whatever happens. Throws unusable_measurement, with the last of what the
/// simulator said, if the program fails or its processes don't all reach MPI_Finalize.
nlohmann::json run_simulation(const SmpiSimulation& simulation);

}  // namespace flopcast::interpose
