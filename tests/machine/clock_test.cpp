#include "flopcast/machine/cpu/clock.hpp"

#include <gtest/gtest.h>

namespace flopcast::machine {
namespace {

TEST(WallClock, NeverGoesBack) {
  const WallClock clock(0.001);
  std::int64_t last = clock.ticks();
  for (int i = 0; i < 1000; ++i) {
    const std::int64_t now = clock.ticks();
    ASSERT_GE(now, last);
    last = now;
  }
}

TEST(WallClock, CountsSeconds) {
  const WallClock clock(0.001);
  EXPECT_NEAR(clock.seconds(static_cast<std::int64_t>(clock.ticks_per_second())), 1, 1e-6);
  EXPECT_EQ(clock.uses_counter(), has_invariant_counter());
}

TEST(ClockQuality, IsPositive) {
  const ClockQuality wall = quality(WallClock(0.001));
  EXPECT_GT(wall.resolution, 0);
  EXPECT_GT(wall.overhead, 0);
  EXPECT_GT(thread_cpu_clock_quality().overhead, 0);
}

TEST(CoreFrequency, IsPositive) { EXPECT_GT(core_frequency(WallClock(0.001)), 0); }

}  // namespace
}  // namespace flopcast::machine
