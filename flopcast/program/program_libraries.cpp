#include "flopcast/program/program_libraries.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <system_error>

#include "flopcast/machine/libraries/elf_file.hpp"
#include "flopcast/machine/libraries/installed_libraries.hpp"
#include "flopcast/machine/libraries/library_identity.hpp"
#include "flopcast/program/launch.hpp"
#include "flopcast/program/loaded_libraries.hpp"
#include "flopcast/support/error.hpp"
#include "flopcast/support/process_environment.hpp"

namespace flopcast::program {
namespace {

namespace fs = std::filesystem;
using machine::ElfFile;

constexpr int wide_bytes = 8;

/// Returns the bytes of the library's integers; those of the usual libraries if no file is given or nothing shows them.
int integer_bytes_of(const fs::path& library, const LibraryServices& services) {
  return library.empty() ? 4 : services.integer_bytes(library).value_or(4);
}

/// Returns whether the program asks for libraries whose names say that it passes 64-bit integers.
bool passes_wide_integers(const std::vector<std::string>& names) {
  return std::any_of(names.begin(), names.end(), [](const std::string& name) {
    const std::string file = fs::path(name).filename().string();
    return file == "libblas64.so.3" || file == "liblapack64.so.3";
  });
}

/// Returns the name of a library by which the program seems to pass 64-bit integers, but which no other library can replace; else empty.
std::string own_wide_library(const std::vector<std::string>& names) {
  const auto found = std::find_if(names.begin(), names.end(), [](const std::string& name) {
    const std::string file = fs::path(name).filename().string();
    const auto contains = [&](const char* part) { return file.find(part) != std::string::npos; };
    return contains("64") && (contains("blas") || contains("blis") || contains("lapack"));
  });
  return found == names.end() ? "" : *found;
}

[[noreturn]] void refuse_wide_integers(const fs::path& library, const std::vector<std::string>& asked) {
  if (const std::string own = own_wide_library(asked); !own.empty()) {
    throw environment_error(
        "{} can take the place of libblas64.so.3 or liblapack64.so.3, but the program asks for {}, which stays as it is. Choose no "
        "library: "
        "the program keeps its own, with 64-bit integers",
        library.string(), own);
  }
  throw environment_error(
      "{} takes 64-bit integers, but programs that ask for libblas.so.3 or liblapack.so.3 pass 32-bit ones, and would crash or get wrong "
      "results. Choose a library with 32-bit integers",
      library.string());
}

/// Threads of a program may call its libraries at the same time, which isn't known before it runs.
void require_safe_for_threads(const fs::path& library, const LibraryServices& services) {
  const std::optional<bool> is_safe = services.may_be_called_by_several_threads(library);
  if (!is_safe) {
    throw environment_error("{} can't be opened: the dynamic linker refuses it, or it crashes when it is loaded. 'ldd -r {}' may say why",
                            library.string(), library.string());
  }
  if (!*is_safe && !services.buffers_can_be_locked(library)) {
    throw environment_error(
        "{} would give wrong results where several threads of the program call it. It was built for one thread, its buffers have no lock, "
        "and flopcast can't add one, since the library doesn't call for them through the dynamic linker. Choose another library, such as "
        "openblas-pthread",
        library.string());
  }
}

fs::path usable_in_programs(const std::string& name_or_path, machine::Role role, const LibraryServices& services) {
  fs::path library = services.locate(name_or_path, role);
  require_safe_for_threads(library, services);
  return library;
}

/// Why `object` gets `needed`, and not what LD_LIBRARY_PATH offers: by its own DT_RPATH or that of the program.
std::string reason_of(const fs::path& object, const std::string& needed, const fs::path& program) {
  if (needed.find('/') != std::string::npos) {
    return fmt::format("{} asks for it by its path", object.string());
  }
  for (const fs::path& file : {object, program}) {
    const std::string rpath = ElfFile(file, ElfFile::FileKind::program).rpath();
    if (!rpath.empty()) {
      return fmt::format("{} is bound to it by the DT_RPATH {}{}", object.string(), rpath, file == object ? "" : " of " + file.string());
    }
  }
  return fmt::format("{} asks for {}, not for libblas.so.3", object.string(), needed);
}

/// The first of the program and its libraries that asks for the file `taken`, and why it gets that; empty if that can't be seen.
std::string why_bound(const fs::path& program, const fs::path& taken) {
  const std::vector<LoadedLibrary> loaded = loaded_libraries(program, process::current_environment());
  std::vector<fs::path> objects = {program};
  std::vector<std::string> names;
  for (const LoadedLibrary& library : loaded) {
    std::error_code none;
    if (fs::equivalent(library.path, taken, none)) {
      names.push_back(library.name);
    } else if (!library.path.empty() && fs::exists(library.path, none)) {
      objects.push_back(library.path);
    }
  }
  for (const fs::path& object : objects) {
    for (const std::string& needed : ElfFile(object, ElfFile::FileKind::program).needed()) {
      if (std::find(names.begin(), names.end(), needed) != names.end()) {
        return reason_of(object, needed, program);
      }
    }
  }
  return {};
}

}  // namespace

LibraryServices this_library_services() {
  LibraryServices services;
  services.locate = [](const std::string& name_or_path, machine::Role role) { return machine::locate_usable(name_or_path, role); };
  services.default_lapack = machine::default_lapack;
  services.integer_bytes = [](const fs::path& library) { return machine::integer_bytes(library); };
  services.may_be_called_by_several_threads = [](const fs::path& library) { return machine::may_be_called_by_several_threads(library); };
  services.buffers_can_be_locked = machine::buffers_can_be_locked;
  services.asked_libraries = [](const std::string& program) {
    std::vector<std::string> names;
    for (const LoadedLibrary& library : loaded_libraries(find_program(program), process::current_environment())) {
      names.push_back(library.name);
    }
    return names;
  };
  return services;
}

LibraryFiles program_libraries(const std::string& blas, const std::string& lapack, const std::vector<std::string>& command,
                               const LibraryServices& services) {
  LibraryFiles files;
  if (!blas.empty()) {
    files.blas = usable_in_programs(blas, machine::Role::blas, services);
  }
  const int blas_bytes = integer_bytes_of(files.blas, services);
  const std::string chosen = lapack.empty() && !blas.empty() ? services.default_lapack(blas_bytes) : lapack;
  if (!chosen.empty()) {
    files.lapack = usable_in_programs(chosen, machine::Role::lapack, services);
  }
  const int lapack_bytes = files.lapack.empty() ? blas_bytes : integer_bytes_of(files.lapack, services);
  files.wide = lapack_bytes == wide_bytes;
  if (!files.blas.empty() && blas_bytes != lapack_bytes) {
    throw environment_error("LAPACK {} can't call BLAS {}: its integers have {} bits, the other's {}. Choose a LAPACK with {}-bit integers",
                            files.lapack.string(), files.blas.string(), 8 * lapack_bytes, 8 * blas_bytes, 8 * blas_bytes);
  }
  if (files.wide && !command.empty()) {
    if (const std::vector<std::string> asked = services.asked_libraries(command.at(0)); !passes_wide_integers(asked)) {
      refuse_wide_integers(files.blas.empty() ? files.lapack : files.blas, asked);
    }
  }
  return files;
}

std::string other_blas_note(const std::vector<std::string>& command, const fs::path& taken, const LibraryFiles& chosen) {
  if (chosen.blas.empty() || taken.empty() || taken.parent_path() == chosen.blas.parent_path()) {  // variants lie in folders of their own
    return {};
  }
  std::string reason;
  try {
    reason = why_bound(find_program(command.at(0)), taken);
  } catch (const Error&) {  // a program that is no file of this machine's any more
  }
  return fmt::format(
      "the program took its BLAS from {} instead of {}: {}", taken.string(), chosen.blas.string(),
      reason.empty() ? "what opens it asks for it by its path or by another name than libblas.so.3, or has a DT_RPATH" : reason);
}

}  // namespace flopcast::program
