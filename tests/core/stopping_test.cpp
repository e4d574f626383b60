#include "flopcast/core/stopping.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <initializer_list>

namespace flopcast {
namespace {

Welford of(std::initializer_list<double> values) {
  Welford all;
  for (const double value : values) {
    all.add(value);
  }
  return all;
}

TEST(Stopping, ZeroSwitchesALimitOff) {
  EXPECT_FALSE(is_out_of_time(1e9, 0));
  EXPECT_TRUE(is_out_of_time(2, 2));
  EXPECT_FALSE(is_count_reached(1000, 0));
  EXPECT_TRUE(is_count_reached(5, 5));
  EXPECT_FALSE(is_precise({1, 1}, 1, 0));
}

TEST(Stopping, IsPreciseOnlyIfBothEndsAreNear) {
  EXPECT_TRUE(is_precise({99, 101}, 100, 0.01));
  EXPECT_FALSE(is_precise({98, 100.5}, 100, 0.01));
  EXPECT_FALSE(is_precise({99.5, 102}, 100, 0.01));
}

TEST(Stopping, NormalIntervalIsNarrowerThanStudents) {
  const Welford values = of({9, 11});  // standard error 1
  EXPECT_NEAR(normal_mean_interval(values, 0.99).high, 10 + 2.5758293, 1e-6);
  EXPECT_GT(values.mean_interval(0.99).high, 70);
  EXPECT_TRUE(std::isinf(normal_mean_interval(of({1}), 0.99).high));
}

TEST(Stopping, FollowsListingOneOfTorring2021) {
  EXPECT_TRUE(cannot_reach({8, 9}, 9.5));
  EXPECT_FALSE(cannot_reach({8, 10}, 9.5));
  StopLimits limits;
  limits.relative_margin = 0;
  limits.min_count = 4;
  EXPECT_EQ(should_stop(of({10, 10.1, 9.9}), 0, 20, limits), Stop::no);
  EXPECT_EQ(should_stop(of({10, 10.1, 9.9, 10}), 0, 20, limits), Stop::hopeless);
  EXPECT_EQ(should_stop(of({10, 10.1, 9.9, 10}), 0, 0, limits), Stop::no);
  limits.relative_margin = 0.5;
  EXPECT_EQ(should_stop(of({10, 10.1, 9.9}), 0, 20, limits), Stop::precise) << "the minimum count is of III-C.4 alone";
}

TEST(Stopping, TakesTheFirstConditionThatHolds) {
  StopLimits limits;
  limits.count = 3;
  EXPECT_EQ(should_stop(of({10}), 11, 0, limits), Stop::time);
  EXPECT_EQ(should_stop(of({10, 20, 30}), 1, 0, limits), Stop::count);
  EXPECT_EQ(should_stop(of({10, 10}), 1, 0, limits), Stop::precise);
  EXPECT_EQ(should_stop(of({10}), 1, 0, limits), Stop::no);
}

TEST(Stopping, PapersIntervalStopsEarlierThanStudents) {
  StopLimits limits;
  const Welford values = of({100, 100.4});  // standard error 0.2: margin 0.52 (normal), 12.7 (t)
  EXPECT_EQ(should_stop(values, 0, 0, limits), Stop::no);
  limits.normal = true;
  EXPECT_EQ(should_stop(values, 0, 0, limits), Stop::precise);
}

}  // namespace
}  // namespace flopcast
