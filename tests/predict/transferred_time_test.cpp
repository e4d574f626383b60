#include "flopcast/predict/blend.hpp"

#include <gtest/gtest.h>

namespace flopcast::prediction {
namespace {

TEST(TransferredTime, TimeOutsideOfTheModelsStays) {
  EXPECT_DOUBLE_EQ(transferred_time(10, 8, 5), 7);
  EXPECT_DOUBLE_EQ(transferred_time(10, 8, 20), 22);
  EXPECT_DOUBLE_EQ(transferred_time(10, 0, 5), 15) << "the models expect no time";
}

TEST(TransferredTime, TooSlowModelsAreWrongByAFactor) {
  EXPECT_DOUBLE_EQ(transferred_time(8, 10, 5), 4);
  EXPECT_DOUBLE_EQ(transferred_time(8, 10, 20), 16);
  EXPECT_DOUBLE_EQ(transferred_time(0, 10, 20), 0);
}

TEST(TransferredTime, TheSamePlaceIsAsRecorded) {
  for (const Seconds recorded : {1.0, 8.0, 100.0}) {
    EXPECT_DOUBLE_EQ(transferred_time(recorded, 8, 8), recorded);
  }
}

}  // namespace
}  // namespace flopcast::prediction
