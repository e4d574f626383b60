#include "flopcast/cli/mpi/machine_options.hpp"
#include "flopcast/cli/shared/option_set.hpp"

namespace flopcast::cli {

void add_machine_choice(OptionSet& command, MachineChoice& choice) {
  command.option("--machine", choice.machine, "Description of the machine (docs/mpi.md says what is in it)").placeholder("FILE");
  command.option("--platform", choice.platform, "The machine as a platform file of SimGrid; its cores are taken to be like this machine's")
      .placeholder("FILE");
  command.option("--latency", choice.latency, "Of a message between nodes, in seconds");
  command.option("--bandwidth", choice.bandwidth, "Between nodes, in GB/s");
  command.option("--cores-per-node", choice.cores_per_node, "Processes on each node").range(1, 4096);
}

void add_mpi_kernels_option(OptionSet& command, std::string& kernels) {
  command
      .option("--kernels", kernels,
              "auto: where the program's BLAS misreads the CPU, the kernels found best by trying; library: as it comes (default: auto)")
      .choices({"auto", "library"});
}

}  // namespace flopcast::cli
