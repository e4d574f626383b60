#include "flopcast/roofline/compare.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fake_roofline.hpp"

namespace flopcast::roofline {
namespace {

TEST(Compare, OfTheSameRooflineFindsNothing) {
  const Comparison comparison = compare(fake_roofline(), fake_roofline());
  EXPECT_THAT(comparison.settings, testing::IsEmpty());
  EXPECT_EQ(comparison.differences.size(), 4U + 4U + 1U + 2U);
  for (const Difference& difference : comparison.differences) {
    EXPECT_EQ(difference.ratio, 1) << difference.name;
    EXPECT_FALSE(difference.beyond_noise()) << difference.name;
  }
}

TEST(Compare, TellsDifferencesFromNoise) {
  Roofline before = fake_roofline();
  Roofline after = before;
  for (double& rate : after.bandwidth[1].bytes.samples) {
    rate *= 1.01;  // the samples spread by 1.25 % to either side
  }
  for (double& rate : after.bandwidth[0].bytes.samples) {
    rate *= 0.9;
  }
  const Comparison comparison = compare(before, after);
  const std::vector<Difference>& differences = comparison.differences;
  const Difference &lower = differences[4], &noise = differences[5];
  EXPECT_EQ(lower.name, "L1 triad");
  EXPECT_NEAR(lower.ratio, 0.9, 1e-12);
  EXPECT_TRUE(lower.beyond_noise());
  EXPECT_EQ(noise.name, "memory triad");
  EXPECT_FALSE(noise.beyond_noise());
  EXPECT_NEAR(noise.interval.low, 1.01 * 7.9 / 8.1 / (1 + comparison.wander), 1e-12);
}

/// Rates that are steady at any moment, but not from one half of a run to the other, don't differ beyond noise by as much.
TEST(Compare, KnowsHowRatesWanderWithinARun) {
  Roofline before = fake_roofline(), after = fake_roofline();
  for (Roofline* roofline : {&before, &after}) {
    for (BandwidthRoof& roof : roofline->bandwidth) {
      roof.bytes.samples = {8e9, 8e9, 8e9, 9e9, 9e9, 9e9};
    }
  }
  after.bandwidth[0].bytes.samples = {7.9e9, 7.9e9, 7.9e9, 7.9e9, 7.9e9, 7.9e9};
  after.bandwidth[1].bytes.samples = {6e9, 6e9, 6e9, 6e9, 6e9, 6e9};
  const Comparison comparison = compare(before, after);
  EXPECT_NEAR(comparison.wander, 9.0 / 8 - 1, 1e-12);
  EXPECT_FALSE(comparison.differences[4].beyond_noise());
  EXPECT_TRUE(comparison.differences[5].beyond_noise());
}

TEST(Compare, SaysWhatIsNotAlikeAndWhatIsMissing) {
  Roofline after = fake_roofline();
  after.cpu = "Other CPU";
  after.gemm[0].library.version = "2.0";
  after.compute.pop_back();
  after.points[0].name = "dger m=8";
  const Comparison comparison = compare(fake_roofline(), after);
  EXPECT_THAT(comparison.settings, testing::ElementsAre("CPU: Fake CPU; Other CPU", "libraries: fakeblas 1.0 Fake; fakeblas 2.0 Fake"));
  EXPECT_THAT(comparison.only_before, testing::ElementsAre("compute AVX2 double FMA, 2 threads", "point dgemv m=8, 1 thread"));
  EXPECT_THAT(comparison.only_after, testing::ElementsAre("point dger m=8, 1 thread"));
}

}  // namespace
}  // namespace flopcast::roofline
