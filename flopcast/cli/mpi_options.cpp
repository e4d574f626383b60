#include "flopcast/cli/mpi_options.hpp"

#include <CLI/CLI.hpp>

namespace flopcast::cli {

void add_machine_choice(CLI::App& command, MachineChoice& choice) {
  command.add_option("--machine", choice.machine, "Description of the machine (docs/mpi.md says what is in it)")->type_name("FILE");
  command
      .add_option("--platform", choice.platform, "The machine as a platform file of SimGrid; its cores are taken to be like this machine's")
      ->type_name("FILE");
  command.add_option("--latency", choice.latency, "Of a message between nodes, in seconds");
  command.add_option("--bandwidth", choice.bandwidth, "Between nodes, in GB/s");
  command.add_option("--cores-per-node", choice.cores_per_node, "Processes on each node")->check(CLI::Range(1, 4096));
}

void add_mpi_kernels_option(CLI::App& command, std::string& kernels) {
  command
      .add_option("--kernels", kernels,
                  "auto: where the program's BLAS misreads the CPU, the kernels found best by trying; library: as it comes (default: auto)")
      ->check(CLI::IsMember({"auto", "library"}));
}

}  // namespace flopcast::cli
