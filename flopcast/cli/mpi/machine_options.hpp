#pragma once

#include <string>

#include "flopcast/cli/shared/option_set.hpp"
#include "flopcast/tasks/mpi/machine.hpp"

/// Options that several subcommands of `flopcast mpi` have.
namespace flopcast::cli {

/// Adds --machine, --platform, --latency, --bandwidth and --cores-per-node.
void add_machine_choice(OptionSet& command, MachineChoice& choice);

/// Adds --kernels.
void add_mpi_kernels_option(OptionSet& command, std::string& kernels);

}  // namespace flopcast::cli
