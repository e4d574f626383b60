#include "flopcast/measure/turn.hpp"

#include <fcntl.h>

#include <cerrno>

namespace flopcast::measure {
namespace {

constexpr off_t measuring = 0, waiting = 1;  // bytes of the file

bool set_lock(int file, off_t byte, short type) {
  struct flock lock {};
  lock.l_type = type;
  lock.l_whence = SEEK_SET;
  lock.l_start = byte;
  lock.l_len = 1;
  return ::fcntl(file, F_OFD_SETLK, &lock) == 0;
}

/// Locks a byte, and waits while another process has it. Returns false if `wait` gives up.
bool lock(int file, off_t byte, const std::function<bool()>& wait) {
  while (!set_lock(file, byte, F_WRLCK)) {
    const bool is_taken = errno == EAGAIN || errno == EACCES;
    if (!is_taken) {
      return true;  // no locks here
    }
    if (!wait()) {
      return false;
    }
  }
  return true;
}

}  // namespace

Turn::Turn(const std::filesystem::path& file) : file_(::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666)) {}

bool Turn::take(const std::function<bool()>& wait) {
  const bool is_first = lock(file_.get(), waiting, wait);
  const bool is_had = is_first && lock(file_.get(), measuring, wait);
  if (is_first) {
    set_lock(file_.get(), waiting, F_UNLCK);
  }
  return is_had;
}

void Turn::end() { set_lock(file_.get(), measuring, F_UNLCK); }

bool Turn::is_wanted() const {
  struct flock lock {};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  lock.l_start = waiting;
  lock.l_len = 1;
  return ::fcntl(file_.get(), F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
}

}  // namespace flopcast::measure
