#include "flopcast/support/folder_lock.hpp"

#include <gtest/gtest.h>

#include <fcntl.h>
#include <sys/file.h>

#include <optional>

#include "flopcast/support/descriptor.hpp"
#include "tests/own_folder.hpp"

namespace flopcast {
namespace {

/// Returns whether another process could lock the folder now.
bool is_free(const std::filesystem::path& folder) {
  const Descriptor other(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  return ::flock(other.get(), LOCK_EX | LOCK_NB) == 0;
}

TEST(FolderLock, HoldsTheFolderWhileItLives) {
  const tests::OwnFolder folder;
  std::optional<FolderLock> lock(std::in_place, folder.path());
  EXPECT_FALSE(is_free(folder.path()));
  lock.reset();
  EXPECT_TRUE(is_free(folder.path()));
}

TEST(FolderLock, HoldsNothingWhereThereIsNoFolder) { EXPECT_NO_THROW(FolderLock("/nowhere/at all")); }

}  // namespace
}  // namespace flopcast
