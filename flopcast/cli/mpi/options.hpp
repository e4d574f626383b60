#pragma once

#include "flopcast/cli/shared/command.hpp"
#include "flopcast/cli/shared/option_set.hpp"

/// The subcommands of `flopcast mpi`.
namespace flopcast::cli {

void add_mpi_run_command(OptionSet& mpi, CommonOptions& common);
void add_mpi_show_command(OptionSet& mpi, CommonOptions& common);
void add_mpi_tune_command(OptionSet& mpi, CommonOptions& common);
void add_mpi_advise_command(OptionSet& mpi, CommonOptions& common);
void add_mpi_simulate_command(OptionSet& mpi, CommonOptions& common);
void add_mpi_describe_command(OptionSet& mpi, CommonOptions& common);

}  // namespace flopcast::cli
