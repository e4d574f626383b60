#pragma once

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdint>

namespace flopcast::preload {

/// A lock that its holder may take again. It replaces pthread_mutex_t, whose instructions glibc makes atomic only once it has started a
/// thread. A second copy of glibc, in another namespace of the dynamic linker, may start threads of which the first one doesn't know.
class RecursiveLock {
 public:
  void lock() noexcept {
    if (holder_.load(std::memory_order_relaxed) == this_thread()) {
      ++depth_;
      return;
    }
    std::uint32_t before = free;
    if (!state_.compare_exchange_strong(before, held, std::memory_order_acquire)) {
      wait(before);
    }
    holder_.store(this_thread(), std::memory_order_relaxed);
    depth_ = 1;
  }

  void unlock() noexcept {
    if (--depth_ > 0) {
      return;
    }
    holder_.store(nullptr, std::memory_order_relaxed);
    if (state_.exchange(free, std::memory_order_release) == awaited) {
      call_futex(FUTEX_WAKE_PRIVATE, 1);
    }
  }

  /// Makes the lock free in a forked child, whose only thread isn't the one that held it.
  void reset() noexcept {
    holder_.store(nullptr, std::memory_order_relaxed);
    state_.store(free, std::memory_order_relaxed);
    depth_ = 0;
  }

 private:
  enum LockState : std::uint32_t { free, held, awaited };

  /// Returns an address that no other living thread has.
  static const void* this_thread() noexcept {
    static thread_local constinit char own{};
    return &own;
  }

  void wait(std::uint32_t before) noexcept {
    if (before != awaited) {
      before = state_.exchange(awaited, std::memory_order_acquire);
    }
    while (before != free) {
      call_futex(FUTEX_WAIT_PRIVATE, awaited);
      before = state_.exchange(awaited, std::memory_order_acquire);
    }
  }

  void call_futex(int operation, std::uint32_t value) noexcept {
    const int error = errno;
    syscall(SYS_futex, reinterpret_cast<std::uint32_t*>(&state_), operation, value, nullptr, nullptr, 0);
    errno = error;
  }

  std::atomic<std::uint32_t> state_{free};
  std::atomic<const void*> holder_{};
  unsigned depth_ = 0;
};
static_assert(sizeof(std::atomic<std::uint32_t>) == sizeof(std::uint32_t));

}  // namespace flopcast::preload
