#pragma once

#include <optional>
#include <string>

#include "flopcast/machine/libraries/library.hpp"
#include "flopcast/machine/libraries/library_identity.hpp"
#include "flopcast/machine/libraries/loaded_file.hpp"

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
