#include "flopcast/predict/blend.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace flopcast::prediction {
namespace {

std::vector<CacheLevel> caches(std::vector<std::int64_t> capacities) {
  std::vector<CacheLevel> all;
  for (const std::int64_t capacity : capacities) {
    all.push_back({.name = "L" + std::to_string(all.size() + 1), .capacity_bytes = capacity});
  }
  return all;
}

std::vector<std::pair<std::size_t, double>> pairs(const LevelShares& shares) {
  std::vector<std::pair<std::size_t, double>> all;
  for (const auto& [level, share] : shares) {
    all.emplace_back(level, share);
  }
  return all;
}

TEST(CacheAssociation, IsSmoothedByPeise2014) {
  EXPECT_DOUBLE_EQ(cache_association(0, 1000), std::tanh(4.0));
  EXPECT_DOUBLE_EQ(cache_association(500, 1000), std::tanh(4 * 0.5));
  EXPECT_DOUBLE_EQ(cache_association(1000, 1000), 0);
  EXPECT_DOUBLE_EQ(cache_association(1500, 1000), std::tanh(-2 * 0.5));
  EXPECT_DOUBLE_EQ(cache_association(-1, 1000), -1);
}

TEST(CacheAssociation, OperandsCountByTheirSizes) {
  const Placement placement = {{500, 0, false}, {1500, 0, false}, {0, 0, false}};
  const std::vector<std::int64_t> bytes = {300, 100, 0};
  EXPECT_DOUBLE_EQ(cache_association(placement, bytes, 1000), (std::tanh(2.0) * 300 + std::tanh(-1.0) * 100) / 400);
  EXPECT_DOUBLE_EQ(cache_association(placement, std::vector<std::int64_t>{0, 0, 0}, 1000), 1);
}

TEST(LevelShares, AreThoseOfTheBytes) {
  EXPECT_THAT(pairs(level_shares({10, 20, 30, 40, 0}, caches({100, 1000, 10000}))),
              testing::ElementsAre(testing::Pair(0, 0.1), testing::Pair(1, 0.2), testing::Pair(2, 0.3), testing::Pair(3, 0.4)));
}

TEST(LevelShares, OperandsInTheirWarmLevelAreWarm) {
  const auto levels = caches({100, 1000, 10000});
  EXPECT_THAT(pairs(level_shares({100, 200, 300, 0, 0}, levels)), testing::ElementsAre(testing::Pair(0, 0.5), testing::Pair(2, 0.5)));
  EXPECT_THAT(pairs(level_shares({0, 0, 50000, 50000, 0}, levels)), testing::ElementsAre(testing::Pair(0, 1.0)));
}

TEST(LevelShares, ACallThatTouchesNothingIsWarm) {
  EXPECT_THAT(pairs(level_shares({}, caches({100}))), testing::ElementsAre(testing::Pair(0, 1.0)));
  EXPECT_THAT(pairs(level_shares({7}, {})), testing::ElementsAre(testing::Pair(0, 1.0)));
}

}  // namespace
}  // namespace flopcast::prediction
