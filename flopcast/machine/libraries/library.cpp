#include "flopcast/machine/libraries/library.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <filesystem>

#include "flopcast/core/routine.hpp"
#include "flopcast/machine/libraries/elf_file.hpp"
#include "flopcast/machine/libraries/in_child.hpp"
#include "flopcast/machine/libraries/library_state.hpp"
#include "flopcast/support/error.hpp"

namespace flopcast::machine {
namespace {

/// Finds symbols of a file and of the libraries that it needs by their own names. A wrapper's library describes the wrapper. But the BLAS
/// that happens to be behind libblas.so.3 doesn't describe the LAPACK that calls it.
SymbolLookup describing_symbols(const LoadedFile& file, const std::string& path) {
  return [&file, needed = ElfFile(path).needed()](const std::string& name) -> void* {
    if (void* own = file.own_symbol(name)) {
      return own;
    }
    void* address = file.symbol(name);
    Dl_info info{};
    if (address == nullptr || dladdr(address, &info) == 0 || !std::filesystem::is_regular_file(info.dli_fname)) {
      return nullptr;
    }
    const std::string soname = ElfFile(info.dli_fname).soname();
    return std::find(needed.begin(), needed.end(), soname) != needed.end() ? address : nullptr;
  };
}

/// Name of a library that reports none: the name under which it is installed, else its file's.
std::string name_of_file(const std::string& path) {
  for (const InstalledLibrary& installed : installed_libraries()) {
    if (installed.path == path) {
      return installed.name;
    }
  }
  return std::filesystem::path(path).filename().string();
}

/// Returns the library's naming. Throws bad_input if the library has no routines.
Naming naming_of(const LoadedFile& file, const std::string& path) {
  if (const std::optional<Naming> found = naming([&file](const std::string& symbol) { return file.symbol(symbol) != nullptr; })) {
    return *found;
  }
  throw bad_input("library {} has neither BLAS nor LAPACK: no symbol dgemm_, no symbol dgeqrf_, nor one like scipy_dgemm_64_", path);
}

LibraryIdentity identify(const LoadedFile& file, const std::string& path, const Naming& naming) {
  LibraryIdentity identity = ask_identity(describing_symbols(file, path), naming);
  if (identity.name.empty()) {
    identity.name = name_of_file(path);
  }
  if (identity.name == "reference") {
    identity.threading = "serial";
  }
  if (identity.version.empty()) {
    identity.version = version_of_file_name(path);
  }
  identity.path = path;
  identity.digest = ElfFile(path).digest();
  return identity;
}

/// Makes OpenBLAS allocate its buffer now, by a dsyrk of order 1 (small products of dgemm need no buffer). Otherwise it allocates in the
/// first call that needs a buffer, and retries for ever on failure (0.3.21: blas_memory_alloc). At that time the caller's data may have taken
/// the memory.
void claim_buffer(const LoadedFile& file, const LibraryIdentity& identity, const Naming& naming) {
  using Integer = const FortranInteger*;
  using Syrk = void (*)(const char*, const char*, Integer, Integer, const double*, const double*, Integer, const double*, double*, Integer);
  if (identity.name != "openblas") {
    return;
  }
  if (const auto syrk = reinterpret_cast<Syrk>(file.symbol(naming.symbol("dsyrk")))) {
    const FortranInteger one = 1;
    const double a = 1;
    double c = 0;
    syrk("U", "N", &one, &one, &a, &a, &one, &a, &c, &one);
  }
}

/// Loads the file as State does, and closes it.
void load_once(const std::string& path, Lmid_t name_space) {
  const LoadedFile file(path, name_space);
  const Naming naming = naming_of(file, path);
  claim_buffer(file, identify(file, path, naming), naming);
}

/// Returns `path` if it is a shared library for this machine that can be loaded here. ElfFile reports better than the loader what is wrong
/// with a file.
const std::string& loadable(const std::string& path, Lmid_t name_space) {
  { const ElfFile file(path); }
  if (!LoadedFile::is_loaded(path)) {
    require_room_for(path, [&] { load_once(path, name_space); });
  }
  return path;
}

}  // namespace

Library::State::State(const std::string& path, Lmid_t name_space)
    : file(loadable(path, name_space), name_space), naming(naming_of(file, path)), identity(identify(file, path, naming)) {
  threads = ThreadControl::of(describing_symbols(file, path), naming);
  several_threads = machine::may_be_called_by_several_threads(describing_symbols(file, path));
  claim_buffer(file, identity, naming);
}

Library Library::open(std::string_view name_or_path, Role role) {
  return Library(std::make_shared<const State>(locate(name_or_path, role).string(), LM_ID_BASE));
}

Function Library::function(std::string_view routine) const { return reinterpret_cast<Function>(symbol(state_->naming.symbol(routine))); }

void* Library::symbol(const std::string& name) const { return state_->file.symbol(name); }

bool Library::defines(std::string_view routine) const { return state_->file.own_symbol(state_->naming.symbol(routine)) != nullptr; }

const LibraryIdentity& Library::identity() const { return state_->identity; }

bool Library::may_be_called_by_several_threads() const { return state_->several_threads; }

void Library::set_threads(int threads) const {
  const LibraryIdentity& library = identity();
  if (threads < 1) {
    throw bad_input("{} threads for {}; expected at least 1", threads, library.name);
  }
  const bool serial = library.threading == "serial" || !state_->threads;
  if (serial && threads > 1) {
    throw bad_input("{} threads for {} ({}), which has only one", threads, library.name, library.path);
  }
  if (serial) {
    return;
  }
  state_->threads->set(threads);
  if (const int got = state_->threads->get(); got != threads) {
    throw bad_input("{} threads for {} ({}), which takes at most {}", threads, library.name, library.path, got);
  }
}

}  // namespace flopcast::machine
