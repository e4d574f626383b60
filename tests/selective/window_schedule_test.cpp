#include "flopcast/selective/execution_windows.hpp"

#include <gtest/gtest.h>

namespace flopcast::selective {
namespace {

TEST(WindowSchedule, FullExecutionsHaveWindowsOnlyIfTheirTimesAreUsed) {
  WindowSchedule schedule(Policy::full, ExecutionWindows());
  EXPECT_FALSE(schedule.has_windows());
  schedule.begin_execution(Policy::full, 0, true);
  EXPECT_TRUE(schedule.has_windows());
  schedule.begin_execution(Policy::full, 1, false);
  EXPECT_FALSE(schedule.has_windows());
  EXPECT_FALSE(schedule.contain(0));
  schedule.begin_execution(Policy::local, 1, false);
  EXPECT_TRUE(schedule.contain(0)) << "every execution begins with a window";
}

TEST(WindowSchedule, BecomesRarerWhereAllIsKnown) {
  const auto share_in_windows = [](double known) {
    WindowSchedule schedule(Policy::local, ExecutionWindows());
    schedule.space(known);
    schedule.begin_execution(Policy::local, 0, true);
    int inside = 0;
    for (int i = 0; i < 20000; ++i) {
      inside += schedule.contain(1e-3 * i) ? 1 : 0;
    }
    return inside / 20000.0;
  };
  EXPECT_NEAR(share_in_windows(0.8), 0.1, 0.01);
  EXPECT_NEAR(share_in_windows(1), 0.05, 0.01);
  EXPECT_NEAR(share_in_windows(0), 0.1, 0.01) << "never denser than at first";
}

TEST(WindowSchedule, CountsTheKnownTime) {
  WindowSchedule schedule(Policy::local, ExecutionWindows());
  EXPECT_EQ(schedule.known_share(), 0);
  schedule.note_kernel(3, true);
  schedule.note_kernel(1, false);
  EXPECT_EQ(schedule.known_share(), 0.75);
  schedule.begin_execution(Policy::local, 1, true);
  EXPECT_EQ(schedule.known_share(), 0);
}

}  // namespace
}  // namespace flopcast::selective
