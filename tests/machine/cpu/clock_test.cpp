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

}  // namespace
}  // namespace flopcast::machine
