#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace flopcast::program {

/// A library that the dynamic linker loads for a program when it starts.
struct LoadedLibrary {
  std::string name;            ///< the requested name or path
  std::filesystem::path path;  ///< empty if no library of that name exists
};

/// Returns all libraries that `program` loads, in the linker's order. The dynamic linker lists them without starting the program. The list
/// is empty for a script. Throws environment_error if the linker can't be started.
std::vector<LoadedLibrary> loaded_libraries(const std::filesystem::path& program, std::vector<std::string> environment);

/// Returns the reason why the program `command` ended with `exit_code` before any preloaded library was loaded: a shared library is missing, or
/// the dynamic linker refused the program otherwise. Empty if the exit code isn't that of the dynamic linker.
std::string why_not_started(const std::string& command, int exit_code);

}  // namespace flopcast::program
