#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <thread>

namespace flopcast {

/// Forks while another thread is within `section`. The section calls its argument, which returns when fork() has returned, or after a tenth
/// of a second if fork() waits for the section. Returns `in_child()` of the child, false if the child hangs for some seconds.
inline bool fork_beside(const std::function<void(const std::function<void()>& wait_for_fork)>& section,
                        const std::function<bool()>& in_child) {
  using namespace std::chrono_literals;
  std::atomic<bool> is_within = false, has_forked = false;
  std::thread other([&] {
    section([&] {
      is_within = true;
      const auto end = std::chrono::steady_clock::now() + 100ms;
      while (!has_forked && std::chrono::steady_clock::now() < end) {
        std::this_thread::sleep_for(1ms);
      }
    });
    is_within = true;
  });
  while (!is_within) {
    std::this_thread::yield();
  }
  const pid_t child = ::fork();
  if (child == 0) {
    ::alarm(5);
    ::_exit(in_child() ? 0 : 1);
  }
  has_forked = true;
  other.join();
  int status = 0;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace flopcast
