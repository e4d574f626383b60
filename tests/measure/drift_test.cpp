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

TEST(Drift, OfNothingIsZero) {
  EXPECT_EQ(Drift().median_time(), 0);
  EXPECT_EQ(Drift().time_near(1), 0);
}

TEST(Drift, UsesAllOfAFewReferences) {
  Drift drift;
  drift.add(0, 2);
  drift.add(1, 4);
  EXPECT_EQ(drift.time_near(0.1), 3);
  EXPECT_EQ(drift.median_time(), 3);
}

TEST(Drift, TakesTheFiveNearest) {
  Drift drift;
  for (int i = 0; i < 10; ++i) {
    drift.add(i, i);
  }
  EXPECT_EQ(drift.time_near(-5), 2);
  EXPECT_EQ(drift.time_near(5.1), 5);
  EXPECT_EQ(drift.time_near(5.6), 6);
  EXPECT_EQ(drift.time_near(100), 7);
  EXPECT_EQ(drift.median_time(), 4.5);
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
      const double time = anywhere(random);
      drift.add(moment, time);
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

}  // namespace
}  // namespace flopcast::measure
