#include "flopcast/selective/execution_windows.hpp"

#include <gtest/gtest.h>

#include <utility>

namespace flopcast::selective {
namespace {

/// Returns how many of 1000 places of an execution lie in windows, and how many windows there are.
std::pair<int, int> in_execution(const ExecutionWindows& windows, Seconds path, Seconds before) {
  int inside = 0;
  int begun = 0;
  bool last = false;
  for (int i = 0; i < 1000; ++i) {
    const bool now = windows.contain(path * (i + 0.5) / 1000, before);
    inside += now ? 1 : 0;
    begun += now && !last ? 1 : 0;
    last = now;
  }
  return {inside, begun};
}

TEST(ExecutionWindows, EachPeriodHasOneWindowOfItsWidth) {
  const ExecutionWindows windows(1, 0.25, 0);
  for (int period = 0; period < 20; ++period) {
    const auto [inside, begun] = in_execution(windows, 1, period);
    EXPECT_NEAR(inside, 250, 1) << period;
    EXPECT_EQ(begun, 1) << period;
  }
}

TEST(ExecutionWindows, WindowsBeginAtRandomPlaces) {
  const ExecutionWindows windows(1, 0.1, 0);
  int hits = 0;
  for (int period = 0; period < 1000; ++period) {
    hits += windows.contain(period + 0.5) ? 1 : 0;
  }
  EXPECT_GT(hits, 50);
  EXPECT_LT(hits, 200);
}

TEST(ExecutionWindows, EveryExecutionBeginsWithAWindow) {
  const ExecutionWindows windows(10, 1, 0.5);
  for (int before = 0; before < 100; ++before) {
    EXPECT_TRUE(windows.contain(0, before));
    EXPECT_TRUE(windows.contain(0.49, before));
    EXPECT_EQ(windows.contain(0.51, before), windows.contain(before + 0.51)) << before;
  }
}

TEST(ExecutionWindows, RarerWindowsShortenTheFirst) {
  const ExecutionWindows windows = ExecutionWindows(10, 1, 4).rarer(2);
  EXPECT_TRUE(windows.contain(1.9));
  EXPECT_DOUBLE_EQ(windows.left(0.5, 1000), 1.5);
}

TEST(ExecutionWindows, AShortExecutionHasAWindow) {
  const ExecutionWindows windows(1, 0.1, 1e-6);
  for (int execution = 1; execution < 20; ++execution) {
    const auto [inside, begun] = in_execution(windows.within(0.4), 0.4, 0.4 * execution);
    EXPECT_NEAR(inside, 100, 3) << execution;
    EXPECT_EQ(begun, 1) << execution;
  }
}

TEST(ExecutionWindows, LongExecutionsKeepTheWindows) {
  const ExecutionWindows windows(1, 0.1, 0);
  const ExecutionWindows within = windows.within(2.5);
  for (int i = 0; i < 2500; ++i) {
    EXPECT_DOUBLE_EQ(within.left(1e-3 * i, 5), windows.left(1e-3 * i, 5));
  }
}

TEST(ExecutionWindows, TheFirstWindowIsShortInAShortExecution) {
  const ExecutionWindows windows(1, 0.1, 0.05);
  EXPECT_DOUBLE_EQ(windows.within(100).left(0, 1000), 0.05);
  for (int execution = 1; execution < 20; ++execution) {
    EXPECT_DOUBLE_EQ(windows.within(0.4).left(0, 0.4 * execution), 0.006);
  }
}

TEST(ExecutionWindows, NoWindowIsTooShortToSettle) {
  const ExecutionWindows windows = ExecutionWindows(0.4, 0.04, 0).within(0.01);  // a tenth is one millisecond
  const auto [inside, begun] = in_execution(windows, 0.01, 0.05);
  EXPECT_NEAR(inside, 200, 5);
  EXPECT_TRUE(ExecutionWindows(0.4, 0.04, 0).within(0.001).contain(0.0007, 0.003));  // executed as a whole
}

}  // namespace
}  // namespace flopcast::selective
