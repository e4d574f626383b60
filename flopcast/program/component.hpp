#pragma once

#include <filesystem>
#include <string_view>

namespace flopcast::program {

/// Returns the path of the preloaded library or helper program called `name`. The search order is $FLOPCAST_LIBEXEC, libexec/flopcast
/// beside or above the folder of the shared library that this code is in, the same of the running program, and the place of installation.
/// Throws environment_error naming the places searched.
std::filesystem::path find_component(std::string_view name);

/// Returns the program `flopcast`: the running program if it has that name, else bin/flopcast beside one of the folders in which
/// find_component() searches. Throws environment_error naming the places searched.
std::filesystem::path find_flopcast_program();

}  // namespace flopcast::program
