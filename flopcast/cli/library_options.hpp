#pragma once

#include <string>

#include "flopcast/machine/libraries/library_choice.hpp"

namespace CLI {  // NOLINT(readability-identifier-naming): CLI11's
class App;
}

namespace flopcast::cli {

/// Adds --blas, --lapack, --threads and --kernels.
void add_library_options(CLI::App& command, machine::LibraryChoice& choice);

/// Adds the same options with lists, separated by commas, for the BLAS and the numbers of threads.
void add_library_lists(CLI::App& command, machine::LibraryChoice& choice, std::string& blas, std::string& threads);

}  // namespace flopcast::cli
