#include "flopcast/predict/predicted_interval.hpp"

#include <gtest/gtest.h>

namespace flopcast::prediction {
namespace {

TEST(PredictedInterval, CombinesTheErrorsOfModelsAndMethod) {
  const Interval interval = predicted_interval(10, 0.4, 0.03);  // 0.4 and 0.3: 0.5 together

  EXPECT_NEAR(interval.low, 10 - 1.96 * 0.5, 1e-3);
  EXPECT_NEAR(interval.high, 10 + 1.96 * 0.5, 1e-3);
}

TEST(PredictedInterval, IsWiderForMoreConfidence) { EXPECT_NEAR(margin(predicted_interval(10, 0.4, 0.03, 0.99)), 2.576 * 0.5, 1e-3); }

TEST(PredictedInterval, HasNoNegativeTimes) {
  EXPECT_EQ(predicted_interval(1, 2).low, 0);
  EXPECT_GT(predicted_interval(1, 2).high, 4);
}

TEST(PredictedInterval, TellsItsStandardDeviation) {
  EXPECT_NEAR(interval_deviation(predicted_interval(10, 0.4, 0.03)), 0.5, 1e-12);
  EXPECT_NEAR(interval_deviation(predicted_interval(10, 0.4, 0.03, 0.9), 0.9), 0.5, 1e-12);
}

TEST(PredictedInterval, AddsAndScales) {
  EXPECT_EQ((Interval{1, 2}) + (Interval{3, 5}), (Interval{4, 7}));
  EXPECT_EQ((Interval{1, 2}) * 3, (Interval{3, 6}));
}

}  // namespace
}  // namespace flopcast::prediction
