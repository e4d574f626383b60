#include "flopcast/interpose/standstill.hpp"

#include <gtest/gtest.h>

namespace flopcast::interpose {
namespace {

TEST(Standstill, IsTooLongWithoutANewKernel) {
  Standstill standstill(60);
  EXPECT_FALSE(standstill.has_lasted(0, 1, true));
  EXPECT_FALSE(standstill.has_lasted(60, 1, true));
  EXPECT_TRUE(standstill.has_lasted(61, 1, true));
}

TEST(Standstill, EndsWithANewKernel) {
  Standstill standstill(60);
  EXPECT_FALSE(standstill.has_lasted(0, 1, true));
  EXPECT_FALSE(standstill.has_lasted(59, 2, true));
  EXPECT_FALSE(standstill.has_lasted(119, 2, true));
  EXPECT_TRUE(standstill.has_lasted(120, 2, true));
}

TEST(Standstill, TimeInWhichNothingIsLeftOutDoesNotCount) {
  Standstill standstill(60);
  EXPECT_FALSE(standstill.has_lasted(1000, 5, false));
  EXPECT_FALSE(standstill.has_lasted(1060, 5, true));
  EXPECT_TRUE(standstill.has_lasted(1061, 5, true));
  EXPECT_FALSE(standstill.has_lasted(1062, 5, false));
  EXPECT_FALSE(standstill.has_lasted(1063, 5, true));
}

}  // namespace
}  // namespace flopcast::interpose
