#pragma once

#include <functional>
#include <optional>
#include <string>

#include "flopcast/core/environment.hpp"

namespace flopcast::machine {

/// Address of a symbol of one loaded library, or nullptr.
using SymbolLookup = std::function<void*(const std::string&)>;

/// What a loaded library says of itself: name, version, kernels and threading; empty where it says nothing.
LibraryIdentity ask_identity(const SymbolLookup& symbol);

/// Whether several threads may call `function` at the same time, by the loaded library that holds it: OpenBLAS built for one thread keeps its
/// buffers without a lock, and then now and then gives wrong results.
bool may_be_called_by_several_threads(const void* function);

/// Version in a file's name: "3.11.0" of libblas.so.3.11.0; empty if there is none.
std::string version_of_file_name(const std::string& path);

/// Calls by which a library's threads are set and asked for.
class ThreadControl {
 public:
  /// The library's own calls, or OpenMP's if it loads that; nothing for libraries without either.
  static std::optional<ThreadControl> of(const SymbolLookup& symbol);

  void set(int threads) const { set_(threads); }
  [[nodiscard]] int get() const { return get_(); }

 private:
  std::function<void(int)> set_;
  std::function<int()> get_;
};

}  // namespace flopcast::machine
