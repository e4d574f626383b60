#include "flopcast/support/no_fork_scope.hpp"

#include <gtest/gtest.h>

#include <mutex>

#include "tests/support/fork_beside.hpp"

namespace flopcast {
namespace {

TEST(NoForkScope, ForkWaitsForOtherThreads) {
  std::mutex mutex;
  const bool was_free = fork_beside(
      [&](const std::function<void()>& wait_for_fork) {
        const ForkSafeLock lock(mutex);
        wait_for_fork();
      },
      [&] { return mutex.try_lock(); });
  EXPECT_TRUE(was_free);
}

TEST(NoForkScope, ForkWaitsForTheOuterOneOfNestedScopes) {
  bool is_whole = true;
  const bool was_whole = fork_beside(
      [&](const std::function<void()>& wait_for_fork) {
        const NoForkScope outer;
        is_whole = false;
        { const NoForkScope inner; }
        wait_for_fork();
        is_whole = true;
      },
      [&] { return is_whole; });
  EXPECT_TRUE(was_whole);
}

TEST(NoForkScope, AChildHasScopesOfItsOwn) {
  const bool entered = fork_beside(
      [](const std::function<void()>& wait_for_fork) {
        const NoForkScope scope;
        wait_for_fork();
      },
      [] {
        const NoForkScope scope;
        return true;
      });
  EXPECT_TRUE(entered);
}

TEST(NoForkScope, AThreadForksWithinItsOwnScope) {
  const NoForkScope scope;
  EXPECT_TRUE(fork_beside([](const std::function<void()>&) {}, [] { return true; }));
}

}  // namespace
}  // namespace flopcast
