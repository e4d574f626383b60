#include "flopcast/selective/prediction_interval.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <random>

#include "flopcast/predict/predicted_interval.hpp"
#include "tests/selective/kernel_statistics.hpp"

namespace flopcast::selective {
namespace {

TEST(PredictionInterval, ErrorsOfMeansGrowWithTheCountAndScatterWithItsRoot) {
  const KernelStatistics known = times({1, 3});  // variance 2, of its mean 1
  EXPECT_DOUBLE_EQ(variance_along(1, known), 1 + 2);
  EXPECT_DOUBLE_EQ(variance_along(10, known), 100 * 1 + 10 * 2);
  EXPECT_EQ(variance_along(10, times({1})), 0);
  EXPECT_EQ(variance_along(10, {}), 0);
}

TEST(PredictionInterval, ExecutionsThatAgreeDoNotWander) {
  EXPECT_EQ(between_run_deviation({}), 0);
  const std::array<RunTimeRatio, 3> same = {{{1, 1}, {2, 2}, {0, 0}}};
  EXPECT_EQ(between_run_deviation(same), 0);
  const std::array<RunTimeRatio, 3> apart = {{{1.1, 1}, {2, 2.2}, {0, 0}}};
  EXPECT_NEAR(between_run_deviation(apart), 1.4826 * std::log(1.1), 1e-12) << "one that tells nothing doesn't count";
}

TEST(PredictionInterval, DisturbedAndShortExecutionsHaveLittleWeight) {
  const std::array<RunTimeRatio, 4> disturbed = {{{1.02, 1}, {1.02, 1}, {3, 1}, {0.01, 0.002}}};
  EXPECT_NEAR(between_run_deviation(disturbed), 1.4826 * std::log(3.0),
              1e-12);  // most of the time that counts is that of the long execution
  const std::array<RunTimeRatio, 4> among_others = {{{1.02, 1}, {1.02, 1}, {2.04, 2}, {3, 1}}};
  EXPECT_NEAR(between_run_deviation(among_others), 1.4826 * std::log(1.02), 1e-12);
}

/// Paths of 40 kernels and 30 messages, whose times scatter by themselves and with the pace of the execution. The interval from a few
/// executions contains about as many of the unseen ones as it promises.
TEST(PredictionInterval, ContainsMostExecutionsOfARandomProgram) {
  std::mt19937 random(1);
  std::normal_distribution<> normal;
  constexpr double drift = 0.03;
  constexpr int trials = 400;
  int within = 0;
  for (int trial = 0; trial < trials; ++trial) {
    KernelStatistics kernel;
    KernelStatistics message;
    std::array<RunTimeRatio, 8> paces{};
    for (RunTimeRatio& each : paces) {
      const double pace = std::exp(drift * normal(random));
      for (int i = 0; i < 10; ++i) {
        kernel.add(pace * (1 + 0.1 * normal(random)));
        message.add(pace * (0.5 + 0.2 * normal(random)));
      }
      each = {pace, 1};
    }
    const double pace = std::exp(drift * normal(random));
    double path = 0;
    for (int i = 0; i < 40; ++i) {
      path += pace * (1 + 0.1 * normal(random));
    }
    for (int i = 0; i < 30; ++i) {
      path += pace * (0.5 + 0.2 * normal(random));
    }
    const double predicted = 40 * kernel.mean + 30 * message.mean;
    const double variance = variance_along(40, kernel) + variance_along(30, message);
    within += std::abs(path - predicted) <=
                      prediction::margin(prediction::predicted_interval(
                          predicted, {.models = std::sqrt(variance), .runs = {between_run_deviation(paces), 0}, .method = 0}))
                  ? 1
                  : 0;
  }
  EXPECT_GT(within, 0.90 * trials);
  EXPECT_LT(within, 0.99 * trials);
}

}  // namespace
}  // namespace flopcast::selective
