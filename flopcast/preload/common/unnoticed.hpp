#pragma once

#include <pthread.h>

#include <cerrno>

namespace flopcast::preload {

/// Keeps errno, and the thread from being cancelled, while a preloaded library calls the system.
class Unnoticed {
 public:
  Unnoticed() noexcept : error_(errno) { pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel_); }
  Unnoticed(const Unnoticed&) = delete;
  Unnoticed& operator=(const Unnoticed&) = delete;
  ~Unnoticed() {
    pthread_setcancelstate(cancel_, nullptr);
    errno = error_;
  }

 private:
  int error_;
  int cancel_ = 0;
};

}  // namespace flopcast::preload
