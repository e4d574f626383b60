#include "flopcast/path/execution_windows.hpp"

#include <gtest/gtest.h>

namespace flopcast::path {
namespace {

TEST(ExecutionWindowsTest, EachPeriodHasOneWindowOfItsWidth) {
  const ExecutionWindows windows(1, 0.25, 0);
  for (int period = 0; period < 20; ++period) {
    int inside = 0;
    int begun = 0;
    bool before = false;
    for (int i = 0; i < 1000; ++i) {
      const bool now = windows.contain(period + (i + 0.5) / 1000);
      inside += now ? 1 : 0;
      begun += now && !before ? 1 : 0;
      before = now;
    }
    EXPECT_NEAR(inside, 250, 1);
    EXPECT_EQ(begun, 1);
  }
}

TEST(ExecutionWindowsTest, TheyAreInNoStep) {
  const ExecutionWindows windows(1, 0.1, 0);
  int hits = 0;
  for (int period = 0; period < 1000; ++period) {
    hits += windows.contain(period + 0.5) ? 1 : 0;
  }
  EXPECT_GT(hits, 50);
  EXPECT_LT(hits, 200);
}

TEST(ExecutionWindowsTest, EveryExecutionBeginsWithOne) {
  const ExecutionWindows windows(10, 1, 0.5);
  for (int before = 0; before < 100; ++before) {
    EXPECT_TRUE(windows.contain(0, before));
    EXPECT_TRUE(windows.contain(0.49, before));
    EXPECT_EQ(windows.contain(0.51, before), windows.contain(before + 0.51)) << before;
  }
}

TEST(ExecutionWindowsTest, RarerOnesLeaveTheFirstShorter) {
  const ExecutionWindows windows = ExecutionWindows(10, 1, 4).rarer(2);
  EXPECT_TRUE(windows.contain(1.9));
  EXPECT_DOUBLE_EQ(windows.left(0.5, 1000), 1.5);
}

}  // namespace
}  // namespace flopcast::path
