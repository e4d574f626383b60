#pragma once

#include <string>

#include "flopcast/cli/shared/option_set.hpp"
#include "flopcast/machine/libraries/library_choice.hpp"

namespace flopcast::cli {

/// Adds --blas, --lapack, --threads and --kernels.
void add_library_options(OptionSet& command, machine::LibraryChoice& choice);

/// Adds the same options with lists, separated by commas, for the BLAS and the numbers of threads.
void add_library_lists(OptionSet& command, machine::LibraryChoice& choice, std::string& blas, std::string& threads);

}  // namespace flopcast::cli
