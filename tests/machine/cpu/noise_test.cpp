#include "flopcast/machine/cpu/clock.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace flopcast::machine {
namespace {

using ::testing::StartsWith;

TEST(Noise, IsTheSpreadOfEqualWork) {
  const std::vector<Seconds> slices = {9, 10, 10, 11, 10, 10, 9, 11, 10, 40};
  const NoiseLevel noise = noise_of(slices, 1, 0.25);
  EXPECT_DOUBLE_EQ(noise.slice, 10);
  EXPECT_DOUBLE_EQ(noise.spread, 0.075);
  EXPECT_DOUBLE_EQ(noise.disturbed_share, 0.2) << "one slow slice, and one that lost the CPU";
  EXPECT_DOUBLE_EQ(noise.stolen_share, 0.25);
}

TEST(Noise, IsZeroWithoutSlices) { EXPECT_EQ(noise_of({}, 0, 0).spread, 0); }

TEST(Noise, IsJudgedInWords) {
  EXPECT_THAT(judgement({0.001, 0.001, 0, 1e-5}), StartsWith("quiet"));
  EXPECT_THAT(judgement({0.05, 0.001, 0, 1e-5}), StartsWith("usable"));
  EXPECT_THAT(judgement({0.001, 0.02, 0, 1e-5}), StartsWith("usable"));
  EXPECT_THAT(judgement({0.3, 0.001, 0, 1e-5}), StartsWith("noisy"));
  EXPECT_THAT(judgement({0.001, 0.001, 0.2, 1e-5}), StartsWith("noisy"));
}

}  // namespace
}  // namespace flopcast::machine
