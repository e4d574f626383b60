#include "flopcast/support/folder_lock.hpp"

#include <fcntl.h>
#include <sys/file.h>

#include <cerrno>

namespace flopcast {

FolderLock::FolderLock(const std::filesystem::path& folder)
    : descriptor_(::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
  while (descriptor_.get() >= 0 && ::flock(descriptor_.get(), LOCK_EX) != 0 && errno == EINTR) {
  }
}

}  // namespace flopcast
