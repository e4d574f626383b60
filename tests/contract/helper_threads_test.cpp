#include "flopcast/contract/helper_threads.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <csignal>
#include <thread>
#include <vector>

namespace flopcast::contract {
namespace {

void none_refused(std::size_t number) { ADD_FAILURE() << number; }

/// How often each of `count` numbers was worked on.
std::vector<int> times_worked(std::size_t count) {
  std::vector<int> times(count);
  run_with_helpers(
      count, [&](std::size_t i) { ++times[i]; }, none_refused);
  return times;
}

TEST(HelperThreads, WorkOnEveryNumberOnce) {
  for (const std::size_t count : {1U, 2U, 5U, 3U, 1U, 4U}) {
    EXPECT_THAT(times_worked(count), ::testing::Each(1)) << count;
  }
}

TEST(HelperThreads, LeaveTheFirstNumberToTheCaller) {
  std::array<std::thread::id, 3> threads;
  run_with_helpers(
      3, [&](std::size_t i) { threads[i] = std::this_thread::get_id(); }, none_refused);
  EXPECT_EQ(threads[0], std::this_thread::get_id());
  EXPECT_NE(threads[1], threads[0]);
  EXPECT_NE(threads[2], threads[0]);
  EXPECT_NE(threads[2], threads[1]);
}

TEST(HelperThreads, WorkAgainAfterAWhile) {
  for (int i = 0; i < 3; ++i) {
    EXPECT_THAT(times_worked(3), ::testing::Each(1));
    std::this_thread::sleep_for(std::chrono::milliseconds(20));  // longer than they stay awake
  }
}

TEST(HelperThreads, WorkForSeveralCallersAtOnce) {
  std::atomic<int> worked = 0;
  std::vector<std::thread> callers;
  for (int caller = 0; caller < 4; ++caller) {
    callers.emplace_back([&] {
      for (int i = 0; i < 50; ++i) {
        run_with_helpers(
            3, [&](std::size_t) { ++worked; }, none_refused);
      }
    });
  }
  for (std::thread& caller : callers) {
    caller.join();
  }
  EXPECT_EQ(worked, 4 * 50 * 3);
}

TEST(HelperThreads, MayCallForHelpThemselves) {
  std::atomic<int> worked = 0;
  run_with_helpers(
      2,
      [&](std::size_t) {
        run_with_helpers(
            2, [&](std::size_t) { ++worked; }, none_refused);
      },
      none_refused);
  EXPECT_EQ(worked, 4);
}

TEST(HelperThreads, AreThereInAForkedChildToo) {
#if defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "the thread sanitizer doesn't start threads in a child of a process that has some";
#endif
  EXPECT_THAT(times_worked(3), ::testing::Each(1));
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    alarm(10);  // should it hang
    _exit(times_worked(3) == std::vector<int>{1, 1, 1} ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_THAT(times_worked(3), ::testing::Each(1));
}

TEST(HelperThreads, LeaveSignalsToTheProgram) {
  sigset_t blocked;
  sigemptyset(&blocked);
  run_with_helpers(
      2,
      [&](std::size_t i) {
        if (i == 1) {
          pthread_sigmask(SIG_BLOCK, nullptr, &blocked);
        }
      },
      none_refused);
  EXPECT_EQ(sigismember(&blocked, SIGINT), 1);
}

}  // namespace
}  // namespace flopcast::contract
