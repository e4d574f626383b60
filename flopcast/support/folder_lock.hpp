#pragma once

#include <filesystem>

#include "flopcast/support/descriptor.hpp"

namespace flopcast {

/// Holds a folder while it lives, so that one process at a time reads, changes and writes a file in the folder. The constructor waits for
/// other holders. Holds nothing where the file system has no locks or the folder can't be opened: a later write says why.
class FolderLock {
 public:
  explicit FolderLock(const std::filesystem::path& folder);

 private:
  Descriptor descriptor_;
};

}  // namespace flopcast
