#include "flopcast/support/whole_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>

#include "flopcast/support/descriptor.hpp"
#include "flopcast/support/error.hpp"

namespace flopcast {
namespace {

std::string folder_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? "." : slash == 0 ? "/" : path.substr(0, slash);
}

/// Returns a name beside `path` that is likely free.
std::string other_name(const std::string& path) {
  std::random_device random;
  return fmt::format("{}.{:06x}", path, random() & 0xffffffU);
}

/// Gives the file the permissions and owner of the one that it replaces; otherwise the umask decides.
bool take_over(int file, const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) {
    const mode_t mask = ::umask(0);
    ::umask(mask);
    return ::fchmod(file, 0666U & ~mask) == 0;
  }
  const bool owned = (status.st_uid == ::geteuid() && status.st_gid == ::getegid()) || ::fchown(file, status.st_uid, status.st_gid) == 0;
  return ::fchmod(file, status.st_mode & (owned ? 07777U : 0777U)) == 0;
}

bool fill(int file, const std::string& path, std::string_view text) {
  return write_all(file, text) && take_over(file, path) && ::fsync(file) == 0;
}

/// Gives the file without a name the name `path`, in place of another file if there is one.
bool name_file(int file, const std::string& path) {
  const std::string own = fmt::format("/proc/self/fd/{}", file);
  if (::linkat(AT_FDCWD, own.c_str(), AT_FDCWD, path.c_str(), AT_SYMLINK_FOLLOW) == 0) {
    return true;
  }
  std::string name;
  int linked = -1;
  for (int tries = 0; tries < 100 && linked != 0 && errno == EEXIST; ++tries) {
    name = other_name(path);
    linked = ::linkat(AT_FDCWD, own.c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW);
  }
  if (linked == 0 && ::rename(name.c_str(), path.c_str()) != 0) {
    const int reason = errno;
    ::unlink(name.c_str());
    errno = reason;
    return false;
  }
  return linked == 0;
}

/// Writes a file with another name and renames it; a killed process leaves that file behind.
bool replace_by_renaming(const std::string& path, std::string_view text) {
  std::string name = path + ".XXXXXX";
  const Descriptor file(::mkostemp(name.data(), O_CLOEXEC));
  if (file.get() < 0) {
    return false;
  }
  if (fill(file.get(), path, text) && ::rename(name.c_str(), path.c_str()) == 0) {
    return true;
  }
  const int reason = errno;
  ::unlink(name.c_str());
  errno = reason;
  return false;
}

bool replace(const std::string& path, std::string_view text) {
  const Descriptor file(::open(folder_of(path).c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600));
  if (file.get() < 0) {
    return replace_by_renaming(path, text);
  }
  if (!fill(file.get(), path, text)) {
    return false;
  }
  return name_file(file.get(), path) || (errno != ENOSPC && errno != EISDIR && replace_by_renaming(path, text));
}

}  // namespace

void replace_file(const std::string& path, std::string_view text) {
  if (!replace(path, text)) {
    throw environment_error("cannot write '{}': {}; nothing was written", path, std::strerror(errno));
  }
}

}  // namespace flopcast
