#include "flopcast/predict/predicted_interval.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace flopcast::prediction {
namespace {

TEST(PredictedInterval, CombinesTheErrorsOfModelsAndMethod) {
  const Interval interval = predicted_interval(10, {0.4, {}, 0.03});  // 0.4 and 0.3: 0.5 together

  EXPECT_NEAR(interval.low, 10 - 1.96 * 0.5, 1e-3);
  EXPECT_NEAR(interval.high, 10 + 1.96 * 0.5, 1e-3);
}

TEST(PredictedInterval, ContainsMomentsAndSessionsOfLaterRuns) {
  EXPECT_NEAR(margin(predicted_interval(10, {0.4, {0.03, 0.12}, 0.0})), 1.96 * std::hypot(0.4, 0.3, 1.2), 1e-3);
  const PredictionError repeated = error_of_repetition({0.03, 0.12});
  EXPECT_EQ(repeated.models, 0);
  EXPECT_NEAR(margin(predicted_interval(10, repeated)), 1.96 * std::sqrt(2 * 0.3 * 0.3 + 1.2 * 1.2 + 2 * 0.3 * 0.3), 1e-2)
      << "two moments, two processes, one step from session to session";
}

TEST(PredictedInterval, IsWiderForMoreConfidence) { EXPECT_NEAR(margin(predicted_interval(10, {0.4, {}, 0.03}, 0.99)), 2.576 * 0.5, 1e-3); }

TEST(PredictedInterval, HasNoNegativeTimes) {
  EXPECT_EQ(predicted_interval(1, {.models = 2}).low, 0);
  EXPECT_GT(predicted_interval(1, {.models = 2}).high, 4);
}

TEST(PredictedInterval, TellsItsStandardDeviation) {
  EXPECT_NEAR(interval_deviation(predicted_interval(10, {0.4, {}, 0.03})), 0.5, 1e-12);
  EXPECT_NEAR(interval_deviation(predicted_interval(10, {0.4, {}, 0.03}, 0.9), 0.9), 0.5, 1e-12);
}

TEST(PredictedInterval, AddsAndScales) {
  EXPECT_EQ((Interval{1, 2}) + (Interval{3, 5}), (Interval{4, 7}));
  EXPECT_EQ((Interval{1, 2}) * 3, (Interval{3, 6}));
}

}  // namespace
}  // namespace flopcast::prediction
