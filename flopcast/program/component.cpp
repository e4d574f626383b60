#include "flopcast/program/component.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "flopcast/support/error.hpp"
#include "flopcast/support/units.hpp"

namespace flopcast::program {
namespace {

namespace fs = std::filesystem;

/// Returns the file that this code was loaded from: the program, or the shared library that it is linked into.
fs::path own_file() {
  Dl_info found{};
  std::error_code none;
  const bool known = ::dladdr(reinterpret_cast<const void*>(&own_file), &found) != 0 && found.dli_fname != nullptr;
  return known ? fs::canonical(found.dli_fname, none) : fs::path();
}

std::vector<fs::path> component_folders() {
  if (const char* folder = std::getenv("FLOPCAST_LIBEXEC")) {
    return {folder};
  }
  std::vector<fs::path> folders;
  std::error_code none;
  for (const fs::path& file : {own_file(), fs::read_symlink("/proc/self/exe", none)}) {
    for (fs::path above = file.parent_path(); above.has_relative_path(); above = above.parent_path()) {
      if (std::find(folders.begin(), folders.end(), above / "libexec/flopcast") == folders.end()) {
        folders.push_back(above / "libexec/flopcast");
      }
    }
  }
  folders.emplace_back(FLOPCAST_INSTALLED_COMPONENTS);
  const char* path = std::getenv("PATH");
  for (const std::string_view folder :
       split(path != nullptr ? path : "", ':')) {  // where a program of a user's own is linked with flopcast
    if (fs::is_regular_file(fs::path(folder) / "flopcast", none)) {
      folders.push_back(fs::path(folder).parent_path() / "libexec/flopcast");
    }
  }
  return folders;
}

/// Returns the name of flopcast's Debian package that has a component, as the install rules say it.
std::string_view package_of(std::string_view component) {
  for (const auto& [part, package] :
       {std::pair("openmpi", "flopcast-mpi-openmpi"), {"mpich", "flopcast-mpi-mpich"}, {"smpi", "flopcast-simgrid"}}) {
    if (component.find(part) != std::string_view::npos) {
      return package;
    }
  }
  return "flopcast";
}

}  // namespace

fs::path find_component(std::string_view name) {
  std::vector<std::string> tried;
  for (const fs::path& folder : component_folders()) {
    std::error_code none;
    if (fs::exists(folder / name, none)) {
      return folder / name;
    }
    tried.push_back(folder.string());
  }
  throw environment_error(
      "flopcast's {} is missing. It isn't in {}. Install the package {}. Without packages, build flopcast again if its MPI or SimGrid was "
      "installed later, add the folder of the program flopcast to PATH, or set FLOPCAST_LIBEXEC to the folder of the components",
      name, fmt::join(tried, ", "), package_of(name));
}

fs::path find_flopcast_program() {
  std::error_code none;
  fs::path self = fs::read_symlink("/proc/self/exe", none);
  if (self.filename() == "flopcast") {
    return self;
  }
  std::vector<std::string> tried;
  for (const fs::path& folder : component_folders()) {
    fs::path program = (folder.lexically_normal() / "../../bin/flopcast").lexically_normal();
    if (fs::is_regular_file(program, none)) {
      return program;
    }
    tried.push_back(program.string());
  }
  throw environment_error(
      "the program flopcast, which answers this request, is missing. There is none of {}. Install all of flopcast, or set FLOPCAST_LIBEXEC "
      "to "
      "the folder of its components",
      fmt::join(tried, ", "));
}

}  // namespace flopcast::program
