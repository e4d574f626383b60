#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "flopcast/cli/command.hpp"
#include "flopcast/cli/shared/option_set.hpp"
#include "flopcast/selective/execution_policy.hpp"
#include "flopcast/support/error.hpp"
#include "flopcast/support/units.hpp"
#include "flopcast/tasks/mpi/profile.hpp"

namespace flopcast::cli {

/// What `choose` makes of an option's value; throws usage_error that names the option where `choose` knows no such value.
template <class Choose>
auto chosen_by_option(const char* option, const std::string& value, Choose choose) {
  try {
    return choose(value);
  } catch (const Error& error) {
    throw usage_error("{}: {}", option, error.what());
  }
}

/// --tolerance and --confidence.
void add_precision_options(OptionSet& command, path::Precision& precision);
/// --no-thread-multiple.
void add_thread_option(OptionSet& command, bool& no_thread_multiple);
/// --patience, as text.
void add_patience_option(OptionSet& command, std::string& patience);

/// What leaving kernels out does to the program, for the user to read before it runs.
std::string results_warning(const std::string& policy);

/// `flopcast mpi tune`, a subcommand of `mpi`.
void add_mpi_tune_command(OptionSet& mpi, CommonOptions& common);

/// `flopcast mpi simulate`.
void add_mpi_simulate_command(OptionSet& mpi, CommonOptions& common);
/// `flopcast mpi describe`.
void add_mpi_describe_command(OptionSet& mpi, CommonOptions& common);

}  // namespace flopcast::cli
