#include "flopcast/selective/routine_family.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <vector>

#include "flopcast/selective/routine_families.hpp"
#include "tests/selective/kernel_statistics.hpp"

namespace flopcast::selective {
namespace {

TEST(RelativeDeviations, OneDisturbanceDoesNotChangeTheVariance) {
  RelativeDeviations quiet;
  for (int i = 0; i < 16; ++i) {
    quiet.add(i % 2 == 0 ? 0.01 : -0.01);
  }
  RelativeDeviations disturbed = quiet;
  disturbed.add(5);
  EXPECT_DOUBLE_EQ(disturbed.variance(), quiet.variance());
}

TEST(RelativeDeviations, FewSayNothing) {
  RelativeDeviations few;
  for (std::int64_t i = 0; i < RelativeDeviations::min_degrees; ++i) {
    EXPECT_FALSE(few.are_enough());
    few.add(0.1);
  }
  EXPECT_TRUE(few.are_enough());
  EXPECT_NEAR(few.variance(), 0.01, 1e-12);
}

TEST(RoutineFamily, DecadesOfTimes) {
  EXPECT_EQ(decade_of(0), 0U);
  EXPECT_EQ(decade_of(2e-7), 0U);
  EXPECT_EQ(decade_of(2e-6), 1U);
  EXPECT_EQ(decade_of(1e9), time_decades - 1);
}

TEST(RoutineFamily, ItsRatioIsDamped) {
  RoutineFamily family;
  EXPECT_EQ(family.ratio(), 1);
  family.note_ratio(1, 1.5);
  EXPECT_DOUBLE_EQ(family.ratio(), 3.5 / 3);
  family.note_ratio(1, 4);
  EXPECT_DOUBLE_EQ(family.ratio(), 3.5 / 3) << "a time that differs by more than a factor of two doesn't count";
  family.begin_execution();
  EXPECT_EQ(family.ratio(), 1);
}

TEST(RoutineFamily, ConvertsTimesOutOfContext) {
  RoutineFamily family;
  KernelStatistics in_context;
  in_context.add(2e-5);
  for (std::int64_t i = 0; i < RelativeDeviations::min_degrees; ++i) {
    EXPECT_EQ(family.as_in_context(1e-5), 1e-5) << "too few sizes are known in both";
    family.note_out_of_context(in_context, 1e-5);
  }
  EXPECT_NEAR(family.as_in_context(1e-5), 2e-5, 1e-12);
  EXPECT_EQ(family.as_in_context(1), 1) << "others take very much longer";
}

TEST(RoutineFamily, CallsWithoutWorkSayNothing) {
  RoutineFamily family;
  family.add(0, kernel_of_order(100).key, 1e6);
  EXPECT_TRUE(family.has_nothing_to_do(kernel_of_order(0).key, 0));
  EXPECT_FALSE(family.has_nothing_to_do(kernel_of_order(50).key, 125000));
}

TEST(RoutineFamilies, PredictASizeFromOthers) {
  RoutineFamilies families;
  StudentQuantiles quantiles(0.95);
  std::vector<KernelTimes> times;
  const std::vector<std::int64_t> orders = {100, 150, 200, 250, 300, 350, 400};
  for (std::uint32_t i = 0; i < orders.size(); ++i) {
    times.emplace_back().learn(time_of_order(orders[i]), 3);
    families.of(i, kernel_of_order(orders[i]));
  }
  const auto number = static_cast<std::uint32_t>(times.size());
  times.emplace_back();
  const KernelRecord unseen = kernel_of_order(275);
  RoutineFamily& family = families.of(number, unseen);
  const std::optional<SizePrediction> found = families.predict(family, number, unseen, quantiles, times, true);
  ASSERT_TRUE(found);
  EXPECT_NEAR(found->mean, time_of_order(275), 0.01 * time_of_order(275));
  EXPECT_FALSE(families.predict(family, number, kernel_of_order(0), quantiles, times, true)) << "it has nothing to do";
}

TEST(RoutineFamilies, DeviationsOfLongKernelsFallBackToShorterOnes) {
  RoutineFamilies families;
  RoutineFamily family;
  KernelStatistics known;
  known.add(1e-5);
  for (int i = 0; i < 4; ++i) {
    families.note_deviation(family, known, 1.1e-5);
  }
  EXPECT_TRUE(families.scatter_of(1).are_enough());
  EXPECT_FALSE(families.scatter_of(1e-7).are_enough());
  EXPECT_EQ(family.deviations.count(), 4);
}

}  // namespace
}  // namespace flopcast::selective
