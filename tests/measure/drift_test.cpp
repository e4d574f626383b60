#include "flopcast/measure/drift.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <utility>
#include <vector>

#include "flopcast/core/statistics.hpp"

namespace flopcast::measure {
namespace {

TEST(Drift, IsZeroWithoutReferences) {
  EXPECT_EQ(Drift().median_time(), 0);
  EXPECT_EQ(Drift().time_near(1), 0);
}

TEST(Drift, UsesAllOfAFewReferences) {
  Drift drift;
  drift.add(0, {2});
  drift.add(1, {2.2});
  EXPECT_DOUBLE_EQ(drift.time_near(0.1), 2.1);
  EXPECT_DOUBLE_EQ(drift.median_time(), 2.1);
}

TEST(Drift, TakesTheFiveNearest) {
  Drift drift;
  for (int i = 0; i < 10; ++i) {
    drift.add(i, {100.0 + i});
  }
  EXPECT_EQ(drift.time_near(-5), 102);
  EXPECT_EQ(drift.time_near(5.1), 105);
  EXPECT_EQ(drift.time_near(5.6), 106);
  EXPECT_EQ(drift.time_near(100), 107);
  EXPECT_EQ(drift.median_time(), 104.5);
}

/// Returns references every 10 ms with a time of 1, or of 1.7 where `slow` is set.
Drift drift_with_slow(const std::vector<bool>& slow) {
  Drift drift;
  for (std::size_t i = 0; i < slow.size(); ++i) {
    drift.add(0.01 * static_cast<double>(i), {slow[i] ? 1.7 : 1});
  }
  return drift;
}

TEST(Drift, TellsWhetherTheMachineWasSlow) {
  const Drift drift = drift_with_slow({false, false, true, false, false});
  EXPECT_LT(drift.slowness(0.001, 0.009), Drift::slow);
  EXPECT_GE(drift.slowness(0.011, 0.019), Drift::slow) << "the following reference is slow";
  EXPECT_GE(drift.slowness(0.021, 0.029), Drift::slow) << "the preceding reference is slow";
  EXPECT_GE(drift.slowness(0.011, 0.012), Drift::slow);
  EXPECT_LT(drift.slowness(0.011, 0.035), Drift::slow) << "references in the middle don't count";
}

TEST(Drift, IsSlowWhereOneOfTheKernelsIs) {
  Drift drift;
  for (int i = 0; i < 8; ++i) {
    drift.add(0.01 * i, {1, i == 5 ? 0.16 : 0.1});
  }
  EXPECT_LT(drift.slowness(0.031, 0.039), Drift::slow);
  EXPECT_NEAR(drift.slowness(0.041, 0.049), 1.6, 1e-12);
  EXPECT_EQ(drift.median_time(), 1) << "median of the product";
}

TEST(Drift, FindsSlowMomentsFromTheStartIfTheCalmTimeIsGiven) {
  Drift drift(0.1);
  for (int i = 0; i < 10; ++i) {
    drift.add(0.01 * i, {1.1, 0.16});
  }
  EXPECT_NEAR(drift.slowness(0.001, 0.009), 0.16 / 0.11, 1e-12);
  EXPECT_NEAR(drift.quiet_solve(), 0.16 / 1.1, 1e-12) << "lower quartile of the references";
  EXPECT_EQ(Drift(0.1).quiet_solve(), 0) << "no references yet";
}

TEST(Drift, TakesAClockThatFallsForNoDisturbance) {
  Drift drift(0.1);
  for (int i = 0; i < 10; ++i) {
    const double clock = i < 5 ? 1 : 1.15;
    drift.add(0.01 * i, {clock, 0.1 * clock});
  }
  EXPECT_LT(drift.slowness(0.071, 0.079), Drift::slow);
}

TEST(Drift, LeavesMomentsOutOfItsMedianInWhichTheSolveWasSlow) {
  Drift drift;
  for (int i = 0; i < 9; ++i) {
    const bool slow = i % 3 != 0;
    drift.add(0.01 * i, {slow ? 1.1 : 1.0, slow ? 1.5 : 1.0});
  }
  EXPECT_EQ(drift.median_time(), 1);
}

TEST(Drift, TakesAllIfEachMomentWasSlowForOneKernel) {
  Drift drift;
  for (int i = 0; i < 4; ++i) {
    drift.add(0.01 * i, {i == 0 ? 1.0 : 2.0, i == 0 ? 3.0 : 1.0});
  }
  EXPECT_EQ(drift.median_time(), 2);
}

TEST(Drift, IsUnknownFarFromItsReferences) {
  Drift drift;
  EXPECT_EQ(drift.slowness(0, 1), 0);
  drift.add(1, {1});
  drift.add(2, {1.7});
  EXPECT_EQ(drift.slowness(1.9, 1.99), 0) << "the references are too far apart";
  EXPECT_EQ(drift.slowness(2.01, 2.02), 0) << "no reference follows";
  EXPECT_EQ(drift.slowness(0.9, 0.95), 0) << "no reference precedes";
  drift.add(2.01, {1});
  EXPECT_GE(drift.slowness(2.001, 2.002), Drift::slow);
}

TEST(Drift, IsSlowFromAFifthMoreThanTheLowerQuartile) {
  Drift drift;
  for (int i = 0; i < 4; ++i) {
    drift.add(0.01 * i, {1});
  }
  drift.add(0.04, {1.19});
  drift.add(0.05, {1.21});
  EXPECT_LT(drift.slowness(0.031, 0.032), Drift::slow);
  EXPECT_GE(drift.slowness(0.041, 0.042), Drift::slow);
}

TEST(Drift, LeavesSlowOnesOutOfTheMedian) {
  EXPECT_EQ(drift_with_slow({true, true, false, true, true, false, true}).median_time(), 1) << "most references are slow";
  EXPECT_EQ(drift_with_slow({true, true, true, true}).median_time(), 1.7) << "nothing shows that all references are slow";
}

TEST(Drift, LeavesSlowOnesOutOfCalmMoments) {
  const Drift drift = drift_with_slow({true, true, false, false, true, true, true, false});
  EXPECT_EQ(drift.time_near(0.025), 1) << "both neighbours are quiet";
  EXPECT_EQ(drift.time_near(0.045), 1.7) << "both neighbours are slow, and three of the five nearest references";
}

TEST(Drift, AgreesWithSortingByDistance) {
  std::mt19937 random(1);
  std::uniform_real_distribution<double> anywhere(0, 1);
  for (int round = 0; round < 100; ++round) {
    std::vector<double> moments(1 + random() % 20);
    std::generate(moments.begin(), moments.end(), [&] { return anywhere(random); });
    std::sort(moments.begin(), moments.end());
    Drift drift;
    std::vector<std::pair<double, double>> by_distance;
    const double at = anywhere(random);
    for (const double moment : moments) {
      const double time = 1 + 0.19 * anywhere(random);  // no reference is slow
      drift.add(moment, {time});
      by_distance.emplace_back(std::fabs(moment - at), time);
    }
    std::sort(by_distance.begin(), by_distance.end());
    by_distance.resize(std::min<std::size_t>(5, by_distance.size()));
    std::vector<double> times;
    for (const auto& [distance, time] : by_distance) {
      times.push_back(time);
    }
    EXPECT_EQ(drift.time_near(at), median(times));
  }
}

TEST(Drift, SpreadIsThatOfMoments) {
  Drift drift;
  for (int i = 0; i < 40; ++i) {
    drift.add(0.03 * i, {(i < 20 ? 1.0 : 1.2) * (i % 5 == 0 ? 1.5 : 1)});
  }
  EXPECT_NEAR(drift.spread(), 0.1 / 1.1 / 1.96, 1e-9) << "single slow references don't count, the slower half does";
  EXPECT_EQ(Drift().spread(), 0);
}

TEST(Drift, TellsANoisyMachineByTheSpreadSinceAMoment) {
  Drift drift;
  for (int i = 0; i < 20; ++i) {
    drift.add(0.03 * i, {i % 2 == 0 ? 1.0 : 1.02});
  }
  EXPECT_EQ(drift.noise(0), 0) << "2 % are nothing";
  for (int i = 0; i < 20; ++i) {
    drift.add(1 + 0.03 * i, {i % 2 == 0 ? 1.0 : 1.3});
  }
  EXPECT_NEAR(drift.noise(1), 0.3 / 1.349 / 1.15, 1e-9) << "quartiles 1 and 1.3, median 1.15";
  EXPECT_EQ(drift.noise(1.5), 0) << "four references say nothing";
}

}  // namespace
}  // namespace flopcast::measure
