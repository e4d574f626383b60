#pragma once

#include <optional>
#include <string>

#include "flopcast/machine/library.hpp"
#include "flopcast/machine/library_identity.hpp"
#include "flopcast/machine/loaded_file.hpp"

namespace flopcast::machine {

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
