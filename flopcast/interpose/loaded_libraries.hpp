#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace flopcast::interpose {

/// A library that the dynamic linker loads for a program when it starts.
struct LoadedLibrary {
  std::string name;            ///< as it is asked for, or its path
  std::filesystem::path path;  ///< empty if there is none of that name
};

/// All of them, in the linker's order; it says so itself, without starting the program. Empty for a script. Throws environment_error if it
/// can't be asked.
std::vector<LoadedLibrary> loaded_libraries(const std::filesystem::path& program, std::vector<std::string> environment);

}  // namespace flopcast::interpose
