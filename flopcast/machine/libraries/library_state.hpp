#pragma once

#include <link.h>
#include <optional>
#include <string>

#include "flopcast/machine/libraries/library.hpp"
#include "flopcast/machine/libraries/library_identity.hpp"

namespace flopcast::machine {

/// A shared library in this process. It is unloaded with its last LoadedFile, unless it uses OpenMP: OpenMP's threads outlive the calls
/// that they were made for, and would go on in code that is no longer there.
class LoadedFile {
 public:
  /// Loads `path` into a namespace (LM_ID_BASE, LM_ID_NEWLM or that of another file). All symbols are resolved, none is offered to others.
  /// Throws environment_error with the loader's reason.
  LoadedFile(const std::string& path, Lmid_t name_space);
  ~LoadedFile();
  LoadedFile(const LoadedFile&) = delete;
  LoadedFile& operator=(const LoadedFile&) = delete;

  /// Returns true if `path` is in the base namespace.
  static bool is_loaded(const std::string& path);

  /// Address of a symbol of this file or of those that it loads, or nullptr.
  [[nodiscard]] void* symbol(const std::string& name) const;
  /// Address of a symbol of this file only, or nullptr.
  [[nodiscard]] void* own_symbol(const std::string& name) const;
  [[nodiscard]] const link_map& map() const;
  [[nodiscard]] Lmid_t name_space() const;

 private:
  void* handle_;
};

/// State that the copies of a Library share.
struct Library::State {
  /// Loads the file at `path`, which is absolute. Throws as Library::open.
  State(const std::string& path, Lmid_t name_space);

  LoadedFile file;
  Naming naming;
  LibraryIdentity identity;
  std::optional<ThreadControl> threads;
  bool several_threads = true;  ///< several threads may call it at the same time
};

}  // namespace flopcast::machine
