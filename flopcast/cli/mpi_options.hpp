#pragma once

#include <string>

#include "flopcast/tasks/mpi/mpi_machine.hpp"

namespace CLI {  // NOLINT(readability-identifier-naming): CLI11's
class App;
}

/// Options that several subcommands of `flopcast mpi` have.
namespace flopcast::cli {

/// Adds --machine, --platform, --latency, --bandwidth and --cores-per-node.
void add_machine_choice(CLI::App& command, MachineChoice& choice);

/// Adds --kernels.
void add_mpi_kernels_option(CLI::App& command, std::string& kernels);

}  // namespace flopcast::cli
