#include "flopcast/predict/carried_over.hpp"

#include <gtest/gtest.h>

namespace flopcast::prediction {
namespace {

TEST(CarriedOver, TimeOutsideOfTheModelsStays) {
  EXPECT_DOUBLE_EQ(carried_over(10, 8, 5), 7);
  EXPECT_DOUBLE_EQ(carried_over(10, 8, 20), 22);
  EXPECT_DOUBLE_EQ(carried_over(10, 0, 5), 15) << "the models expect no time";
}

TEST(CarriedOver, TooSlowModelsAreWrongByAFactor) {
  EXPECT_DOUBLE_EQ(carried_over(8, 10, 5), 4);
  EXPECT_DOUBLE_EQ(carried_over(8, 10, 20), 16);
  EXPECT_DOUBLE_EQ(carried_over(0, 10, 20), 0);
}

TEST(CarriedOver, TheSamePlaceIsAsRecorded) {
  for (const Seconds recorded : {1.0, 8.0, 100.0}) {
    EXPECT_DOUBLE_EQ(carried_over(recorded, 8, 8), recorded);
  }
}

}  // namespace
}  // namespace flopcast::prediction
