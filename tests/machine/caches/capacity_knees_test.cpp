#include "flopcast/machine/caches/cache_levels.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "flopcast/support/error.hpp"

namespace flopcast::machine {
namespace {

constexpr double kibibyte = 1024;
constexpr double mebibyte = 1024 * kibibyte;

/// A level of a synthetic curve: it costs `cost` up to `begin`, and the next level's cost from `end` on, with a straight rise (log-log) in
/// between.
struct Level {
  double begin, end, cost;
};

/// Eight points per octave from 4 KiB to 256 MiB; `outermost` is the cost beyond all levels. Scatter is relative.
std::vector<CurvePoint> curve(const std::vector<Level>& levels, double outermost, double scatter = 0, std::uint64_t seed = 1) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal(0, scatter);
  std::vector<CurvePoint> points;
  for (double octave = 4 * kibibyte; octave < 256 * mebibyte; octave *= 2) {
    for (int i = 0; i < 8; ++i) {
      const double x = octave * (1 + i / 8.0);
      double cost = outermost;
      for (std::size_t level = levels.size(); level-- > 0;) {
        const Level& here = levels[level];
        const double next = level + 1 < levels.size() ? levels[level + 1].cost : outermost;
        if (x <= here.begin) {
          cost = here.cost;
        } else if (x < here.end) {
          cost = here.cost * std::pow(next / here.cost, std::log(x / here.begin) / std::log(here.end / here.begin));
        }
      }
      points.push_back({x, cost * std::exp(scatter > 0 ? normal(random) : 0)});
    }
  }
  return points;
}

TEST(CapacityKnees, AreExactOnSharpSteps) {
  const auto knees =
      find_knees(curve({{48 * kibibyte, 50 * kibibyte, 1}, {2 * mebibyte, 2.1 * mebibyte, 4}, {32 * mebibyte, 33 * mebibyte, 15}}, 30));
  ASSERT_EQ(knees.size(), 3U);
  EXPECT_DOUBLE_EQ(knees[0].position, 48 * kibibyte);
  EXPECT_DOUBLE_EQ(knees[1].position, 2 * mebibyte);
  EXPECT_DOUBLE_EQ(knees[2].position, 32 * mebibyte);
  EXPECT_NEAR(knees[0].low, 48 * kibibyte, 1e-6);
  EXPECT_NEAR(knees[0].high, 52 * kibibyte, 1e-6);
  EXPECT_NEAR(knees[1].before, 4, 1e-9);
  EXPECT_NEAR(knees[1].after, 15, 1e-9);
}

TEST(CapacityKnees, AreFoundForAnyNumberOfLevels) {
  EXPECT_EQ(find_knees(curve({}, 3)).size(), 0U);
  EXPECT_EQ(find_knees(curve({{mebibyte, 1.1 * mebibyte, 1}}, 3)).size(), 1U);
  EXPECT_EQ(find_knees(curve({{32 * kibibyte, 34 * kibibyte, 1},
                              {256 * kibibyte, 270 * kibibyte, 2},
                              {4 * mebibyte, 4.1 * mebibyte, 4},
                              {64 * mebibyte, 66 * mebibyte, 8}},
                             16))
                .size(),
            4U);
}

TEST(CapacityKnees, ShowAnElasticLevelAsAWideInterval) {
  const auto knees = find_knees(curve({{48 * kibibyte, 50 * kibibyte, 1}, {48 * mebibyte, 160 * mebibyte, 10}}, 20));
  ASSERT_EQ(knees.size(), 2U);
  EXPECT_NEAR(knees[1].low, 48 * mebibyte, 8 * mebibyte);
  EXPECT_NEAR(knees[1].high, 160 * mebibyte, 20 * mebibyte);
  EXPECT_GT(knees[1].position, 72 * mebibyte);
  EXPECT_LT(knees[1].position, 120 * mebibyte);
}

TEST(CapacityKnees, SurviveNoiseAndOutliers) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    auto points =
        curve({{48 * kibibyte, 50 * kibibyte, 1}, {1.5 * mebibyte, 3 * mebibyte, 4}, {64 * mebibyte, 128 * mebibyte, 15}}, 30, 0.05, seed);
    points[40].y *= 10;
    points[90].y *= 5;
    const auto knees = find_knees(points);
    ASSERT_EQ(knees.size(), 3U) << "seed " << seed;
    EXPECT_NEAR(std::log2(knees[0].position / (48 * kibibyte)), 0, 0.2);
    EXPECT_NEAR(std::log2(knees[1].position / (2.2 * mebibyte)), 0, 0.6);
    EXPECT_NEAR(std::log2(knees[2].position / (92 * mebibyte)), 0, 0.6);
    for (const Knee& knee : knees) {
      EXPECT_LE(knee.low, knee.position);
      EXPECT_GE(knee.high, knee.position);
    }
  }
}

TEST(CapacityKnees, AreTheSameForTheSameCurve) {
  const auto points = curve({{48 * kibibyte, 60 * kibibyte, 1}}, 3, 0.05);
  EXPECT_EQ(find_knees(points), find_knees(points));
}

TEST(CapacityKnees, NeedPlateausOnBothSides) {
  EXPECT_TRUE(find_knees({}).empty());
  EXPECT_TRUE(find_knees(std::vector<CurvePoint>{{1, 1}, {2, 5}}).empty());
}

TEST(CapacityKnees, RefuseInvalidCurves) {
  EXPECT_THROW(find_knees(std::vector<CurvePoint>{{1, 1}, {1, 2}, {2, 3}}), Error);
  EXPECT_THROW(find_knees(std::vector<CurvePoint>{{1, 1}, {2, 0}, {3, 3}}), Error);
  EXPECT_THROW(find_knees(std::vector<CurvePoint>{{1, 1}, {2, std::numeric_limits<double>::quiet_NaN()}, {3, 3}}), Error);
}

}  // namespace
}  // namespace flopcast::machine
