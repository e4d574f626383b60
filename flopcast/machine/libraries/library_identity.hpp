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

/// Prefix and suffix of a library's Fortran names: `scipy_` and `_64_` stand around "dgemm" in `scipy_dgemm_64_`.
struct Naming {
  std::string prefix;
  std::string suffix = "_";

  /// The name of `routine` ("dgemm") in the library.
  [[nodiscard]] std::string symbol(std::string_view routine) const { return prefix + std::string(routine) + suffix; }
};

/// Returns the first of the known namings (core/routine_symbol.hpp) under which `defines` knows a dgemm or a dgeqrf; nothing if there is
/// none.
std::optional<Naming> naming(const std::function<bool(const std::string& symbol)>& defines);

/// Asks a loaded library for its name, version, kernels, threading and the width of its integers; members that it doesn't report stay empty.
/// The library's own functions may have the prefix and suffix of its C interface around their names.
LibraryIdentity ask_identity(const SymbolLookup& symbol, const Naming& naming = {});

/// Bytes of the integers, 4 or 8, that the routines of the library file `path` take. A process of its own loads the file and tries or asks
/// it. Returns nothing if the file can't be loaded, or has no BLAS and no LAPACK.
std::optional<int> integer_bytes(const std::filesystem::path& path);

/// Returns true if several threads may call a loaded library at the same time, as the library describes itself. OpenBLAS built for one
/// thread keeps its buffers without a lock, unless it was built with USE_LOCKING, and so does GotoBLAS. Concurrent calls of these libraries
/// sometimes give wrong results.
bool may_be_called_by_several_threads(const SymbolLookup& symbol);
/// Asks this of the library file `path`, which is loaded in a process of its own; nothing if it can't be loaded.
std::optional<bool> may_be_called_by_several_threads(const std::filesystem::path& path);
/// Asks this of the loaded library that holds `function`.
bool may_be_called_by_several_threads(const void* function);

/// Version in a file's name: "3.11.0" of libblas.so.3.11.0; empty if there is none.
std::string version_of_file_name(const std::string& path);

/// Functions that set a library's threads and return their number.
class ThreadControl {
 public:
  /// The library's own functions, or OpenMP's if it loads OpenMP; nothing for libraries without either.
  static std::optional<ThreadControl> of(const SymbolLookup& symbol, const Naming& naming = {});

  void set(int threads) const { set_(threads); }
  [[nodiscard]] int get() const { return get_(); }

 private:
  std::function<void(int)> set_;
  std::function<int()> get_;
};

/// Returns the key that differs between builds of a library and between their choices of kernels.
std::string library_key(const LibraryIdentity& identity);

}  // namespace flopcast::machine
