#pragma once

#include <string>

#include "flopcast/cli/shared/command.hpp"
#include "flopcast/cli/shared/option_set.hpp"
#include "flopcast/selective/execution_policy.hpp"
#include "flopcast/support/units.hpp"
#include "flopcast/tasks/mpi/simulation_result.hpp"

/// Options that several subcommands of `flopcast mpi` have.
namespace flopcast::cli {

/// Adds --tolerance and --confidence.
void add_precision_options(OptionSet& command, selective::Precision& precision);
/// Adds --no-windows, which clears `windows`.
void add_window_option(OptionSet& command, bool& windows);
/// Adds --no-thread-multiple, which clears `thread_multiple`.
void add_thread_option(OptionSet& command, bool& thread_multiple);
/// Adds --patience in seconds; 0 for `none`.
void add_patience_option(OptionSet& command, Seconds& patience);
/// Adds --kernels: auto or library.
void add_mpi_kernels_option(OptionSet& command, bool& tuned_kernels);
/// Adds --machine, --platform, --latency, --bandwidth and --cores-per-node.
void add_machine_choice(OptionSet& command, MpiMachineChoice& choice);

void add_mpi_run_command(OptionSet& mpi, CommonOptions& common);
void add_mpi_show_command(OptionSet& mpi, CommonOptions& common);
void add_mpi_tune_command(OptionSet& mpi, CommonOptions& common);
void add_mpi_simulate_command(OptionSet& mpi, CommonOptions& common);
void add_mpi_describe_command(OptionSet& mpi, CommonOptions& common);

}  // namespace flopcast::cli
