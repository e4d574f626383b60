#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace flopcast::interpose {

/// A library that the dynamic linker loads for a program when it starts.
struct LoadedLibrary {
  std::string name;            ///< the requested name or path
  std::filesystem::path path;  ///< empty if no library of that name exists
};

/// Returns all libraries that `program` loads, in the linker's order. The dynamic linker lists them without starting the program. The list
/// is empty for a script. Throws environment_error if the linker can't be started.
std::vector<LoadedLibrary> loaded_libraries(const std::filesystem::path& program, std::vector<std::string> environment);

}  // namespace flopcast::interpose
