#pragma once

#include "flopcast/cli/command.hpp"

namespace flopcast::cli {

/// Name and version of what `flopcast mpi run` writes.
inline constexpr const char* mpi_profile_schema = "flopcast-mpi-profile-1";

/// `flopcast mpi tune`, a subcommand of `mpi`.
void add_mpi_tune_command(CLI::App& mpi, CommonOptions& common);

}  // namespace flopcast::cli
