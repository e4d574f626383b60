#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "flopcast/core/environment.hpp"

namespace flopcast::machine {

/// Address of a symbol of one loaded library, or nullptr.
using SymbolLookup = std::function<void*(const std::string&)>;

/// How a library names its Fortran routines: `scipy_` and `_64_` stand around "dgemm" in `scipy_dgemm_64_`.
struct Naming {
  std::string prefix;
  std::string suffix = "_";

  /// The name of `routine` ("dgemm") in the library.
  [[nodiscard]] std::string symbol(std::string_view routine) const { return prefix + std::string(routine) + suffix; }
};

/// The first of the known namings (core/routine_symbol.hpp) that gives `defines` the name of a dgemm or a dgeqrf that it has; nothing if
/// none does.
std::optional<Naming> naming(const std::function<bool(const std::string& symbol)>& defines);

/// What a loaded library says of itself: name, version, kernels, threading and the width of its integers; empty where it says nothing.
/// Its own functions may have the prefix and suffix of its C interface around their names.
LibraryIdentity ask_identity(const SymbolLookup& symbol, const Naming& naming = {});

/// Bytes of the integers, 4 or 8, that the routines of the library file `path` take, found out by loading it in a process of its own and
/// trying or asking it there; nothing if it can't be loaded, or has no BLAS and no LAPACK.
std::optional<int> integer_bytes(const std::filesystem::path& path);

/// Whether several threads may call a loaded library at the same time, by what it says of itself. OpenBLAS built for one thread keeps its
/// buffers without a lock, unless it was built with USE_LOCKING, and then now and then gives wrong results; GotoBLAS does, too.
bool may_be_called_by_several_threads(const SymbolLookup& symbol);
/// The same of the library file `path`, which is loaded in a process of its own; nothing if it can't be.
std::optional<bool> may_be_called_by_several_threads(const std::filesystem::path& path);
/// The same of the loaded library that holds `function`.
bool may_be_called_by_several_threads(const void* function);

/// Version in a file's name: "3.11.0" of libblas.so.3.11.0; empty if there is none.
std::string version_of_file_name(const std::string& path);

/// Calls by which a library's threads are set and asked for.
class ThreadControl {
 public:
  /// The library's own calls, or OpenMP's if it loads that; nothing for libraries without either.
  static std::optional<ThreadControl> of(const SymbolLookup& symbol, const Naming& naming = {});

  void set(int threads) const { set_(threads); }
  [[nodiscard]] int get() const { return get_(); }

 private:
  std::function<void(int)> set_;
  std::function<int()> get_;
};

/// Returns the text that tells a build of a library and its choice of kernels apart.
std::string library_key(const LibraryIdentity& identity);

}  // namespace flopcast::machine
