#include "flopcast/selective/execution_policy.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "flopcast/support/error.hpp"
#include "tests/selective/kernel_statistics.hpp"

namespace flopcast::selective {
namespace {

StudentQuantiles& quantiles() {
  static StudentQuantiles all(0.95);
  return all;
}

TEST(ExecutionPolicy, HalfWidthIsStudentsIntervalOverTheMean) {
  // 9, 10, 11: s = 1, t(0.975, 2) = 4.302653
  EXPECT_NEAR(relative_half_width(times({9, 10, 11}), quantiles(), 1), 4.302653 / std::sqrt(3) / 10, 1e-6);
}

TEST(ExecutionPolicy, OccurrencesNarrowTheIntervalByTheirRoot) {
  const KernelStatistics sample = times({9, 10, 11});
  EXPECT_NEAR(relative_half_width(sample, quantiles(), 16), relative_half_width(sample, quantiles(), 1) / 4, 1e-12);
}

TEST(ExecutionPolicy, NothingIsKnownFromOneOrTwoExecutions) {
  EXPECT_EQ(relative_half_width(times({5}), quantiles(), 1), std::numeric_limits<double>::infinity());
  EXPECT_FALSE(is_predictable(times({5, 5}), {}, quantiles(), 1000));
  EXPECT_TRUE(is_predictable(times({5, 5, 5}), {}, quantiles(), 1));
}

TEST(ExecutionPolicy, ToleranceDecides) {
  const KernelStatistics sample = times({9, 10, 11});
  EXPECT_FALSE(is_predictable(sample, {.tolerance = 0.24}, quantiles(), 1));
  EXPECT_TRUE(is_predictable(sample, {.tolerance = 0.25}, quantiles(), 1));
}

TEST(ExecutionPolicy, HasTheNamesOfTheCommandLine) {
  for (const auto& [policy, name] : EnumNames<Policy>::names) {
    EXPECT_EQ(to_string(policy), name);
  }
  EXPECT_EQ(to_string(Policy::a_priori), "a-priori");
  EXPECT_EQ(to_string(Policy::rehearsal), "rehearsal");
}

}  // namespace
}  // namespace flopcast::selective
