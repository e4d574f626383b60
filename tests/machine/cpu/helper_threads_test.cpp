#include "flopcast/machine/cpu/helper_threads.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sched.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cfenv>
#include <chrono>
#include <csignal>
#include <fstream>
#include <thread>
#include <vector>

namespace flopcast::machine {
namespace {

void none_refused(std::size_t number) { ADD_FAILURE() << number; }

/// Returns how often each of `count` numbers was worked on.
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
    std::this_thread::sleep_for(std::chrono::milliseconds(20));  // longer than idle helper threads spin
  }
}

TEST(HelperThreads, ShareAPileWithTheirCaller) {
  for (int i = 0; i < 2000; ++i) {
    std::atomic<int> next = 0, sum = 0;
    share_with_helpers(3, [&](std::size_t) {
      for (int part = next++; part < 10; part = next++) {
        sum += part;
      }
    });
    ASSERT_EQ(sum, 45);
    ASSERT_THAT(times_worked(2), ::testing::Each(1));  // an order that was withdrawn leaves the next one alone
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

TEST(HelperThreads, MayUseHelpersThemselves) {
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

TEST(HelperThreads, WorkInAForkedChildToo) {
#if defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "the thread sanitizer doesn't start threads in a child of a multithreaded process";
#endif
  EXPECT_THAT(times_worked(3), ::testing::Each(1));
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    alarm(10);  // ends the child if it hangs
    _exit(times_worked(3) == std::vector<int>{1, 1, 1} ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_THAT(times_worked(3), ::testing::Each(1));
}

TEST(HelperThreads, AreRefusedIfTheSystemHasNoMore) {
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
  GTEST_SKIP() << "sanitizers need address space";
#endif
  constexpr std::size_t count = 500;
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    alarm(10);
    rlimit limit{};
    getrlimit(RLIMIT_AS, &limit);
    long pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    limit.rlim_cur = static_cast<rlim_t>(pages * sysconf(_SC_PAGESIZE)) + (rlim_t{100} << 20);  // address space for a dozen stacks
    setrlimit(RLIMIT_AS, &limit);
    std::atomic<std::size_t> worked = 0;
    std::size_t refused = 0;
    run_with_helpers(
        count, [&](std::size_t) { ++worked; }, [&](std::size_t) { ++refused; });
    _exit(refused > 0 && worked + refused == count ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

/// Runs `look` in a helper thread.
template <class Look>
void in_a_helper(Look look) {
  run_with_helpers(
      2,
      [&](std::size_t i) {
        if (i == 1) {
          look();
        }
      },
      none_refused);
}

TEST(HelperThreads, LeaveSignalsToTheProgram) {
  sigset_t tiled;
  sigemptyset(&tiled);
  in_a_helper([&] { pthread_sigmask(SIG_BLOCK, nullptr, &tiled); });
  EXPECT_EQ(sigismember(&tiled, SIGINT), 1);
  EXPECT_EQ(sigismember(&tiled, SIGSEGV), 0) << "signals of faults belong to the thread";
  sigset_t own;
  pthread_sigmask(SIG_BLOCK, nullptr, &own);
  EXPECT_EQ(sigismember(&own, SIGINT), 0);
}

TEST(HelperThreads, UseTheRoundingModeOfTheirCaller) {
  int mode = FE_TONEAREST;
  in_a_helper([] {});  // the helper thread exists from now on
  std::fesetround(FE_UPWARD);
  in_a_helper([&] { mode = std::fegetround(); });
  std::fesetround(FE_TONEAREST);
  EXPECT_EQ(mode, FE_UPWARD);
  in_a_helper([&] { mode = std::fegetround(); });
  EXPECT_EQ(mode, FE_TONEAREST);
}

TEST(HelperThreads, AreCalledOffIfTheyHaveNotBegunWhenThePileIsEmpty) {
  cpu_set_t usual, one;
  ASSERT_EQ(sched_getaffinity(0, sizeof(usual), &usual), 0);
  CPU_ZERO(&one);
  CPU_SET(static_cast<std::size_t>(sched_getcpu()), &one);
  ASSERT_EQ(sched_setaffinity(0, sizeof(one), &one), 0);
  in_a_helper([] {});  // from now on the helper has the caller's CPU, which the caller keeps
  int called_off = 0;
  for (int i = 0; i < 50; ++i) {
    std::atomic<int> begun = 0;
    share_with_helpers(2, [&](std::size_t) { ++begun; });
    called_off += begun == 1 ? 1 : 0;
  }
  ASSERT_EQ(sched_setaffinity(0, sizeof(usual), &usual), 0);
  EXPECT_GT(called_off, 0);
}

TEST(HelperThreads, RunOnTheCpusOfTheirCaller) {
  cpu_set_t usual, one, seen;
  ASSERT_EQ(sched_getaffinity(0, sizeof(usual), &usual), 0);
  CPU_ZERO(&one);
  CPU_SET(static_cast<std::size_t>(sched_getcpu()), &one);
  in_a_helper([] {});
  ASSERT_EQ(sched_setaffinity(0, sizeof(one), &one), 0);
  in_a_helper([&] { sched_getaffinity(0, sizeof(seen), &seen); });
  EXPECT_TRUE(CPU_EQUAL(&seen, &one));
  ASSERT_EQ(sched_setaffinity(0, sizeof(usual), &usual), 0);
  in_a_helper([&] { sched_getaffinity(0, sizeof(seen), &seen); });
  EXPECT_TRUE(CPU_EQUAL(&seen, &usual));
}

}  // namespace
}  // namespace flopcast::machine
