#pragma once

#include <mutex>

namespace flopcast {

/// A section of code that fork() never cuts in two: while a thread is within one, fork() waits in other threads. So a forked child finds what
/// the section changes whole, and its locks free. Sections are short, call no function of the caller's, and may nest.
class NoForkScope {
 public:
  NoForkScope() noexcept;
  ~NoForkScope();
  NoForkScope(const NoForkScope& /*other*/) noexcept : NoForkScope() {}
  NoForkScope(NoForkScope&& /*other*/) noexcept : NoForkScope() {}
  NoForkScope& operator=(const NoForkScope&) noexcept { return *this; }
  NoForkScope& operator=(NoForkScope&&) noexcept { return *this; }
};

/// Holds a mutex during its lifetime, as std::scoped_lock does. A forked child finds the mutex free, and what it guards whole.
template <class Mutex>
class ForkSafeLock {
 public:
  explicit ForkSafeLock(Mutex& mutex) : lock_(mutex) {}

 private:
  NoForkScope scope_;
  std::scoped_lock<Mutex> lock_;
};

}  // namespace flopcast
