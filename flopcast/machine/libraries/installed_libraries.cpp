#include "flopcast/machine/libraries/installed_libraries.hpp"

#include <dlfcn.h>
#include <glob.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <sstream>

#include "flopcast/machine/libraries/elf_file.hpp"
#include "flopcast/machine/libraries/library_identity.hpp"
#include "flopcast/support/error.hpp"
#include "flopcast/support/units.hpp"

namespace flopcast::machine {
namespace {

namespace fs = std::filesystem;

/// Directories that vendors install to, which the loader doesn't know by itself; `$NAME` is the environment variable's value.
constexpr std::array<std::string_view, 7> vendor_directories = {
    "$MKLROOT/lib",   "$MKLROOT/lib/intel64", "/opt/intel/oneapi/mkl/latest/lib", "/opt/OpenBLAS/lib", "/opt/blis/lib",
    "/usr/local/lib", "/usr/local/lib64"};

/// Order of preference when the user names no library.
constexpr std::array<std::string_view, 5> preferred_blas = {"openblas-serial", "openblas", "blis-serial", "blis", "reference"};

/// Order of preference for several threads.
constexpr std::array<std::string_view, 5> preferred_threaded_blas = {"mkl", "openblas-pthread", "openblas-openmp", "blis-openmp",
                                                                     "blis-pthread"};

std::vector<fs::path> matches(const std::string& pattern) {
  glob_t found{};
  std::vector<fs::path> paths;
  if (glob(pattern.c_str(), 0, nullptr, &found) == 0) {
    paths.assign(found.gl_pathv, found.gl_pathv + found.gl_pathc);
  }
  globfree(&found);
  return paths;
}

/// The loader's own list for this process: LD_LIBRARY_PATH, then its built-in directories, which depend on the distribution.
std::vector<fs::path> loader_search_path() {
  std::vector<fs::path> directories;
  void* program = dlopen(nullptr, RTLD_LAZY);
  Dl_serinfo size{};
  if (program == nullptr || dlinfo(program, RTLD_DI_SERINFOSIZE, &size) != 0) {
    return directories;
  }
  std::vector<std::max_align_t> memory(size.dls_size / sizeof(std::max_align_t) + 1);
  auto* info = reinterpret_cast<Dl_serinfo*>(memory.data());
  if (dlinfo(program, RTLD_DI_SERINFOSIZE, info) == 0 && dlinfo(program, RTLD_DI_SERINFO, info) == 0) {
    for (unsigned i = 0; i < info->dls_cnt; ++i) {
      directories.emplace_back(info->dls_serpath[i].dls_name);
    }
  }
  dlclose(program);
  return directories;
}

/// Directories in a file like /etc/ld.so.conf, following its `include` lines at most `depth` deep.
std::vector<fs::path> loader_configuration(const fs::path& file, int depth = 8) {
  std::vector<fs::path> directories;
  std::ifstream stream(file);
  for (std::string line; std::getline(stream, line);) {
    std::istringstream words(line.substr(0, line.find('#')));
    std::string word;
    words >> word;
    if (word == "include" && depth > 0) {
      while (words >> word) {
        for (const fs::path& included : matches((file.parent_path() / word).string())) {
          const auto more = loader_configuration(included, depth - 1);
          directories.insert(directories.end(), more.begin(), more.end());
        }
      }
    } else if (word.starts_with('/')) {
      directories.emplace_back(word);
    }
  }
  return directories;
}

std::optional<fs::path> expand(std::string_view directory) {
  if (!directory.starts_with('$')) {
    return fs::path(directory);
  }
  const std::size_t slash = directory.find('/');
  const char* value = std::getenv(std::string(directory.substr(1, slash - 1)).c_str());
  return value == nullptr || *value == '\0' ? std::nullopt : std::optional(fs::path(value + std::string(directory.substr(slash))));
}

/// Returns true if the file defines `routine` under the names that it has for routines.
bool has_routine(const ElfFile& file, std::string_view routine) {
  const std::optional<Naming> names = naming([&file](const std::string& symbol) { return file.defines(symbol); });
  return names && file.defines(names->symbol(routine));
}

/// The files that `known` stands for in `directories`, resolved. Files that aren't libraries of this machine or lack the role are skipped.
std::vector<InstalledLibrary> files_of(const KnownLibrary& known, std::span<const fs::path> directories) {
  std::vector<InstalledLibrary> found;
  for (const std::string_view pattern : known.files) {
    for (const fs::path& directory : directories) {
      for (const fs::path& path : matches((directory / pattern).string())) {
        try {
          const fs::path real = fs::canonical(path);
          const ElfFile file(real);
          const InstalledLibrary library{std::string(known.name), real.string(), has_routine(file, "dgemm"), has_routine(file, "dgeqrf")};
          if (library.has(known.role)) {
            found.push_back(library);
          }
        } catch (const NoAddressSpace&) {
          throw;  // the library is installed
        } catch (const std::exception&) {
          continue;  // a dangling link, a linker script, another architecture: not installed
        }
      }
    }
  }
  return found;
}

bool is_variant(std::string_view name, std::string_view general) {
  return name.size() > general.size() && name.starts_with(general) && name[general.size()] == '-';
}

std::optional<fs::path> locate_name(std::string_view name, Role role, std::span<const fs::path> directories) {
  const auto first_file = [&](auto accept) -> std::optional<fs::path> {
    for (const KnownLibrary& known : known_libraries()) {
      if (!accept(known.name)) {
        continue;
      }
      for (const InstalledLibrary& library : files_of(known, directories)) {
        if (library.has(role)) {
          return library.path;
        }
      }
    }
    return std::nullopt;
  };
  if (auto exact = first_file([&](std::string_view known) { return known == name; })) {
    return exact;
  }
  return first_file([&](std::string_view known) { return is_variant(known, name); });
}

[[noreturn]] void throw_not_installed(std::string_view name, Role role) {
  std::vector<std::string> installed;
  for (const InstalledLibrary& library : installed_libraries()) {
    if (library.has(role) && std::find(installed.begin(), installed.end(), library.name) == installed.end()) {
      installed.push_back(library.name);
    }
  }
  std::vector<std::string> names = installed;
  for (const KnownLibrary& known : known_libraries()) {
    names.emplace_back(known.name);
  }
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  const std::vector<std::string> nearest = nearest_names(name, names);
  const bool known = std::find(names.begin(), names.end(), name) != names.end();
  throw bad_input("no {} library '{}' is installed{}; installed: {}; a path to a shared library is accepted as well",
                  role == Role::blas ? "BLAS" : "LAPACK", name,
                  known || nearest.empty() ? "" : fmt::format(" (did you mean '{}'?)", fmt::join(nearest, "' or '")),
                  installed.empty() ? "none" : fmt::format("{}", fmt::join(installed, ", ")));
}

bool is_path(std::string_view text) { return text.find('/') != std::string_view::npos || text.find(".so") != std::string_view::npos; }

/// Resolves a path; a bare file name is also searched in the loader's directories.
fs::path locate_path(std::string_view path) {
  std::error_code error;
  fs::path real = fs::canonical(path, error);
  if (!error) {
    return real;
  }
  if (path.find('/') == std::string_view::npos) {
    for (const fs::path& directory : loader_directories()) {
      std::error_code absent;
      real = fs::canonical(directory / path, absent);
      if (!absent) {
        return real;
      }
    }
  }
  throw environment_error("library {} can't be opened: {}", path, error.message());
}

/// Returns true if a library that `file` needs is `wanted`; its folder and the loader's directories are searched.
template <class Predicate>
bool needs_a_library(const ElfFile& file, const fs::path& beside, Predicate wanted) {
  std::vector<fs::path> directories = loader_directories();
  directories.insert(directories.begin(), beside);
  for (const std::string& needed : file.needed()) {
    const auto at = std::find_if(directories.begin(), directories.end(), [&](const fs::path& directory) {
      std::error_code error;
      return fs::exists(directory / needed, error);
    });
    if (at != directories.end() && wanted(ElfFile(*at / needed))) {
      return true;
    }
  }
  return false;
}

}  // namespace

std::span<const KnownLibrary> known_libraries() {
  // Debian keeps alternatives in folders of their own; Fedora puts the threading into the file's name. Libraries with 64-bit integers come
  // last.
  static const std::vector<KnownLibrary> table = {
      {"openblas-serial", Role::blas, {"openblas-serial/libopenblas.so.0"}},
      {"openblas-openmp", Role::blas, {"openblas-openmp/libopenblas.so.0", "libopenblaso.so.0"}},
      {"openblas-pthread", Role::blas, {"openblas-pthread/libopenblas.so.0", "libopenblasp.so.0"}},
      {"openblas", Role::blas, {"libopenblas.so.0", "libopenblas.so"}},
      {"blis-serial", Role::blas, {"blis-serial/libblis.so.[0-9]"}},
      {"blis-openmp", Role::blas, {"blis-openmp/libblis.so.[0-9]", "libbliso.so.[0-9]"}},
      {"blis-pthread", Role::blas, {"blis-pthread/libblis.so.[0-9]", "libblisp.so.[0-9]"}},
      {"blis", Role::blas, {"libblis.so.[0-9]", "libblis.so"}},
      {"atlas", Role::blas, {"atlas/libblas.so.3", "libsatlas.so.3", "libtatlas.so.3"}},
      {"mkl", Role::blas, {"libmkl_rt.so.[0-9]", "libmkl_rt.so"}},
      {"reference", Role::blas, {"blas/libblas.so.3", "libblas.so.3.*"}},
      {"reference", Role::lapack, {"lapack/liblapack.so.3", "liblapack.so.3.*"}},
      {"openblas64-serial", Role::blas, {"openblas64-serial/libopenblas64.so.0"}},
      {"openblas64-openmp", Role::blas, {"openblas64-openmp/libopenblas64.so.0", "libopenblaso64.so.0"}},
      {"openblas64-pthread", Role::blas, {"openblas64-pthread/libopenblas64.so.0", "libopenblasp64.so.0"}},
      {"openblas64", Role::blas, {"libopenblas64.so.0", "libopenblas64.so", "libopenblas64_.so.0", "libopenblas64_.so"}},
      {"blis64-serial", Role::blas, {"blis64-serial/libblis64.so.[0-9]"}},
      {"blis64-openmp", Role::blas, {"blis64-openmp/libblis64.so.[0-9]", "libblis64o.so.[0-9]"}},
      {"blis64-pthread", Role::blas, {"blis64-pthread/libblis64.so.[0-9]", "libblis64p.so.[0-9]"}},
      {"blis64", Role::blas, {"libblis64.so.[0-9]", "libblis64.so"}},
      {"reference64", Role::blas, {"blas64/libblas64.so.3", "libblas64.so.3.*", "libblas64_.so.3.*"}},
      {"reference64", Role::lapack, {"lapack64/liblapack64.so.3", "liblapack64.so.3.*", "liblapack64_.so.3.*"}},
      {"atlas", Role::lapack, {"atlas/liblapack.so.3"}},
  };
  return table;
}

std::vector<fs::path> loader_directories() {
  std::vector<fs::path> candidates = loader_search_path();
  const std::vector<fs::path> configured = loader_configuration("/etc/ld.so.conf");
  candidates.insert(candidates.end(), configured.begin(), configured.end());
  for (const std::string_view directory : vendor_directories) {
    if (const auto path = expand(directory)) {
      candidates.push_back(*path);
    }
  }
  std::vector<fs::path> directories;
  for (const fs::path& candidate : candidates) {
    std::error_code error;
    const fs::path real = fs::canonical(candidate, error);
    if (!error && fs::is_directory(real, error) && std::find(directories.begin(), directories.end(), real) == directories.end()) {
      directories.push_back(real);
    }
  }
  return directories;
}

std::vector<InstalledLibrary> installed_libraries(std::span<const fs::path> directories) {
  std::vector<InstalledLibrary> installed;
  for (const KnownLibrary& known : known_libraries()) {
    for (InstalledLibrary& library : files_of(known, directories)) {
      const auto same = [&](const InstalledLibrary& other) { return other.path == library.path; };
      if (std::none_of(installed.begin(), installed.end(), same)) {
        installed.push_back(std::move(library));
      }
    }
  }
  return installed;
}

std::vector<InstalledLibrary> installed_libraries() { return installed_libraries(loader_directories()); }

fs::path locate(std::string_view name_or_path, Role role) {
  if (is_path(name_or_path)) {
    return locate_path(name_or_path);
  }
  if (const auto path = locate_name(name_or_path, role, loader_directories())) {
    return *path;
  }
  throw_not_installed(name_or_path, role);
}

fs::path locate_usable(std::string_view name_or_path, Role role, std::string_view routine) {
  fs::path path = locate(name_or_path, role);
  const std::string_view wanted = !routine.empty() ? routine : role == Role::blas ? "dgemm" : "dgeqrf";
  const ElfFile file(path);
  if (!has_routine(file, wanted) &&
      !needs_a_library(file, path.parent_path(), [&](const ElfFile& needed) { return has_routine(needed, wanted); })) {
    const std::string_view what = !routine.empty() ? routine : role == Role::blas ? "BLAS" : "LAPACK";
    throw bad_input("library {} has no {}: no symbol {}_, nor in the libraries that it needs", path.string(), what, wanted);
  }
  return path;
}

bool has_routine(const fs::path& library, std::string_view routine) {
  try {
    return has_routine(ElfFile(library), routine);
  } catch (const Error&) {
    return false;
  }
}

bool buffers_can_be_locked(const fs::path& blas) {
  const auto can_be_locked = [](const ElfFile& file) { return file.calls_through_linker("blas_memory_alloc"); };
  const ElfFile file(blas);
  return can_be_locked(file) || needs_a_library(file, blas.parent_path(), can_be_locked);
}

std::string default_blas(int threads) {
  const std::vector<fs::path> directories = loader_directories();
  if (threads > 1) {
    for (const std::string_view name : preferred_threaded_blas) {
      if (locate_name(name, Role::blas, directories)) {
        return std::string(name);
      }
    }
  }
  for (const std::string_view name : preferred_blas) {
    if (locate_name(name, Role::blas, directories)) {
      return std::string(name);
    }
  }
  throw environment_error("no BLAS library is installed; on Debian: apt-get install libopenblas0-serial");
}

std::optional<std::string> serial_blas_for_several_threads() {
  for (const InstalledLibrary& library : installed_libraries()) {
    const bool is_serial = library.has_blas && library.name.ends_with("-serial");
    if (is_serial && may_be_called_by_several_threads(std::filesystem::path(library.path)).value_or(false)) {
      return library.name;
    }
  }
  return std::nullopt;
}

bool has_one_thread(std::string_view name_or_path) {
  const fs::path path = locate(name_or_path, Role::blas);
  const std::vector<InstalledLibrary> installed = installed_libraries();
  return std::any_of(installed.begin(), installed.end(), [&](const InstalledLibrary& library) {
    return library.path == path && (library.name.ends_with("-serial") || library.name == "reference");
  });
}

std::string default_lapack(int integer_bytes) {
  const std::string name = integer_bytes == 8 ? "reference64" : "reference";
  return locate_name(name, Role::lapack, loader_directories()) ? name : "";
}

}  // namespace flopcast::machine
