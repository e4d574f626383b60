#include "flopcast/machine/caches/cache_levels.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace flopcast::machine {
namespace {

constexpr std::int64_t kibibyte = 1024;
constexpr std::int64_t mebibyte = 1024 * kibibyte;

Knee knee_at(double position) { return {position, position, position * 1.1, 1, 2}; }

/// Returns costs by working set, with steps after `ends`.
std::vector<CurvePoint> stairs(const std::vector<std::int64_t>& ends, const std::vector<double>& costs, int points_per_octave) {
  std::vector<CurvePoint> curve;
  for (const std::int64_t bytes : working_sets(4 * kibibyte, 256 * mebibyte, points_per_octave)) {
    std::size_t level = 0;
    while (level < ends.size() && bytes > ends[level]) {
      ++level;
    }
    curve.push_back({static_cast<double>(bytes), costs[level]});
  }
  return curve;
}

TEST(WorkingSets, HoldThreeOperandsOfWholeLines) {
  const auto sets = working_sets(4 * kibibyte, mebibyte, 8);
  EXPECT_EQ(sets.front(), 4032);
  EXPECT_LE(sets.back(), mebibyte);
  for (std::size_t i = 0; i < sets.size(); ++i) {
    EXPECT_EQ(sets[i] % 192, 0);
    EXPECT_TRUE(i == 0 || sets[i] > sets[i - 1]);
  }
}

TEST(PairKnees, PairsInOrderWithTheNearest) {
  const std::vector<Knee> triad = {knee_at(48e3), knee_at(2e6), knee_at(64e6)};
  EXPECT_EQ(pair_knees(triad, std::vector<Knee>{knee_at(50e3), knee_at(400e3), knee_at(1.8e6), knee_at(12e6)}, 8),
            (std::vector<int>{0, 2, 3}));
  EXPECT_EQ(pair_knees(triad, std::vector<Knee>{knee_at(1.8e6)}, 8), (std::vector<int>{-1, 0, -1}));
  EXPECT_EQ(pair_knees(triad, {}, 8), (std::vector<int>{-1, -1, -1}));
}

TEST(CacheLevels, HaveNoLatencyWhereTheChaseHadNoTime) {
  CacheSweep sweep;
  sweep.triad = stairs({48 * kibibyte, 2 * mebibyte}, {2e-12, 8e-12, 64e-12}, 8);
  const MemoryHierarchy hierarchy = cache_levels(sweep, {});
  ASSERT_EQ(hierarchy.levels.size(), 2U);
  EXPECT_EQ(hierarchy.levels[0].latency_seconds, 0);
  EXPECT_EQ(hierarchy.memory_latency, 0);
  EXPECT_NEAR(hierarchy.memory_bandwidth, 1 / 64e-12, 1e3);
}

TEST(CacheLevels, AreNoMoreThanPredictionsTellApart) {
  CacheSweep sweep;
  sweep.triad =
      stairs({16 * kibibyte, 128 * kibibyte, mebibyte, 8 * mebibyte, 64 * mebibyte}, {1e-12, 2e-12, 5e-12, 20e-12, 80e-12, 320e-12}, 8);
  for (const std::vector<ReportedCache>& reported :
       {std::vector<ReportedCache>{}, {{1, 16 * kibibyte, 64, 12, 1}, {2, mebibyte, 64, 16, 1}}}) {
    const MemoryHierarchy hierarchy = cache_levels(sweep, reported);
    ASSERT_EQ(hierarchy.levels.size(), max_cache_levels);
    EXPECT_NEAR(static_cast<double>(hierarchy.levels[0].capacity_bytes), 128.0 * kibibyte, 0.02 * 128 * kibibyte)
        << "the first step, by a factor of 2, is the weakest";
    EXPECT_NEAR(static_cast<double>(hierarchy.levels[3].capacity_bytes), 64.0 * mebibyte, 0.02 * 64 * mebibyte);
  }
}

TEST(CacheLevels, CombineBothPatternsAndKeepReportedValues) {
  CacheSweep sweep;
  sweep.triad = stairs({48 * kibibyte, 2 * mebibyte, 64 * mebibyte}, {2e-12, 8e-12, 32e-12, 64e-12}, 8);
  sweep.chase = stairs({48 * kibibyte, 2 * mebibyte, 16 * mebibyte}, {1e-9, 4e-9, 20e-9, 80e-9}, 4);
  const std::vector<ReportedCache> reported = {{1, 48 * kibibyte, 64, 12, 1}, {2, 2 * mebibyte, 64, 16, 1}, {3, 260 * mebibyte, 64, 20, 2}};
  const MemoryHierarchy hierarchy = cache_levels(sweep, reported);
  ASSERT_EQ(hierarchy.levels.size(), 3U);
  const CacheLevel &first = hierarchy.levels[0], &last = hierarchy.levels[2];
  EXPECT_EQ(first.name, "L1");
  EXPECT_NEAR(static_cast<double>(first.capacity_bytes), 48.0 * kibibyte, 0.02 * 48 * kibibyte);
  EXPECT_EQ(first.associativity, 12);
  EXPECT_NEAR(first.bandwidth, 500e9, 1e3);
  EXPECT_NEAR(first.latency_seconds, 1e-9, 1e-15);
  EXPECT_NEAR(static_cast<double>(last.capacity_bytes), 64.0 * mebibyte, 0.02 * 64 * mebibyte) << "streams tell of the last level";
  EXPECT_LE(last.capacity_low_bytes, 16 * mebibyte) << "the interval spans the chase as well";
  EXPECT_EQ(last.reported_bytes, 260 * mebibyte);
  EXPECT_NEAR(hierarchy.memory_bandwidth, 1 / 64e-12, 1e3);
  EXPECT_NEAR(hierarchy.memory_latency, 80e-9, 1e-15);
}

/// Returns the capacities that the system reports for the levels of a sweep with three knees.
std::vector<std::int64_t> reported_for_levels(const std::vector<ReportedCache>& reported) {
  CacheSweep sweep;
  sweep.triad = stairs({48 * kibibyte, 2 * mebibyte, 64 * mebibyte}, {2e-12, 8e-12, 32e-12, 96e-12}, 8);
  sweep.chase = sweep.triad;
  std::vector<std::int64_t> bytes;
  for (const CacheLevel& level : cache_levels(sweep, reported).levels) {
    bytes.push_back(level.reported_bytes);
  }
  return bytes;
}

TEST(CacheLevels, HaveNoReportedCapacityWhereTheSystemReportsNone) {
  const ReportedCache first = {1, 32 * kibibyte, 64, 8, 1}, second = {2, 4 * mebibyte, 64, 16, 1}, third = {3, 40 * mebibyte, 64, 16, 2};
  EXPECT_THAT(reported_for_levels({first, second}), ::testing::ElementsAre(32 * kibibyte, 4 * mebibyte, 0));
  EXPECT_THAT(reported_for_levels({first}), ::testing::ElementsAre(32 * kibibyte, 0, 0));
  EXPECT_THAT(reported_for_levels({first, third}), ::testing::ElementsAre(32 * kibibyte, 0, 40 * mebibyte));
  EXPECT_THAT(reported_for_levels({}), ::testing::ElementsAre(0, 0, 0));
  const ReportedCache fourth = {4, 128 * mebibyte, 64, 16, 2};
  EXPECT_THAT(reported_for_levels({first, second, third, fourth}), ::testing::ElementsAre(32 * kibibyte, 4 * mebibyte, 40 * mebibyte));
}

TEST(CacheLevels, TellTheCapacityOfEachPattern) {
  CacheSweep sweep;
  sweep.triad = stairs({48 * kibibyte, 2 * mebibyte, 64 * mebibyte}, {2e-12, 8e-12, 32e-12, 64e-12}, 8);
  sweep.chase = stairs({48 * kibibyte, 2 * mebibyte, 16 * mebibyte}, {1e-9, 4e-9, 20e-9, 80e-9}, 4);
  sweep.parallel_chase = stairs({48 * kibibyte, 32 * mebibyte}, {0.2e-9, 2e-9, 10e-9}, 4);
  const MemoryHierarchy hierarchy = cache_levels(sweep, {});
  ASSERT_EQ(hierarchy.patterns.size(), 3U);
  const auto near = [](std::int64_t bytes, std::int64_t expected) {
    return std::abs(static_cast<double>(bytes - expected)) < 0.05 * static_cast<double>(expected);
  };
  const PatternCapacities &middle = hierarchy.patterns[1], &last = hierarchy.patterns[2];
  EXPECT_TRUE(near(middle.stream, 2 * mebibyte));
  EXPECT_TRUE(near(middle.serial_chase, 2 * mebibyte));
  EXPECT_EQ(middle.parallel_chase, 0) << "its curve shows no such level";
  EXPECT_TRUE(near(last.stream, 64 * mebibyte));
  EXPECT_TRUE(near(last.parallel_chase, 32 * mebibyte));
  EXPECT_TRUE(near(last.serial_chase, 16 * mebibyte));
  EXPECT_LE(hierarchy.levels[2].capacity_low_bytes, 16 * mebibyte);
}

TEST(CacheLevels, TakeAWeakKneeOnlyForAReportedLevel) {
  CacheSweep sweep;
  sweep.triad = stairs({48 * kibibyte, 2 * mebibyte, 32 * mebibyte}, {2e-12, 8e-12, 32e-12, 48e-12}, 8);
  sweep.chase = sweep.triad;
  const std::vector<ReportedCache> two = {{1, 48 * kibibyte, 64, 12, 1}, {2, 2 * mebibyte, 64, 16, 1}};
  EXPECT_EQ(cache_levels(sweep, two).levels.size(), 2U);
  EXPECT_EQ(cache_levels(sweep, {}).levels.size(), 3U);
}

/// Costs of a Zen 4: streams from L2 are hardly faster than from L3, and memory gets slower far behind its beginning.
CacheSweep prefetched_sweep(const std::vector<std::int64_t>& triad_ends, const std::vector<double>& triad_costs) {
  CacheSweep sweep;
  sweep.triad = stairs(triad_ends, triad_costs, 8);
  sweep.chase = stairs({32 * kibibyte, mebibyte, 16 * mebibyte}, {1.1e-9, 4e-9, 13e-9, 110e-9}, 4);
  sweep.parallel_chase = stairs({32 * kibibyte, mebibyte, 20 * mebibyte}, {0.17e-9, 0.5e-9, 1.7e-9, 19e-9}, 4);
  return sweep;
}

void expect_levels_of_prefetched(const CacheSweep& sweep) {
  const std::vector<ReportedCache> reported = {{1, 32 * kibibyte, 64, 8, 1}, {2, mebibyte, 64, 8, 1}, {3, 32 * mebibyte, 64, 16, 2}};
  const MemoryHierarchy hierarchy = cache_levels(sweep, reported);
  ASSERT_EQ(hierarchy.levels.size(), 3U);
  const CacheLevel &second = hierarchy.levels[1], &last = hierarchy.levels[2];
  EXPECT_NEAR(static_cast<double>(second.capacity_bytes), 1.0 * mebibyte, 0.05 * mebibyte);
  EXPECT_NEAR(second.latency_seconds, 4e-9, 1e-12);
  EXPECT_EQ(second.name, "L2");
  EXPECT_NEAR(static_cast<double>(last.capacity_bytes), 22.0 * mebibyte, 0.05 * 22 * mebibyte);
  EXPECT_NEAR(last.latency_seconds, 13e-9, 1e-12);
  EXPECT_NEAR(last.bandwidth, 1 / 11e-12, 0.1 / 11e-12);
}

TEST(CacheLevels, PreferAKneeOfTheChasesToOneOfTheTriadAlone) {
  expect_levels_of_prefetched(
      prefetched_sweep({32 * kibibyte, 2560 * kibibyte, 22 * mebibyte, 80 * mebibyte}, {3.5e-12, 8.2e-12, 11e-12, 24e-12, 34e-12}));
}

TEST(CacheLevels, FindALevelThatOnlyTheChasesShow) {
  expect_levels_of_prefetched(prefetched_sweep({32 * kibibyte, 22 * mebibyte}, {3.5e-12, 11e-12, 24e-12}));
}

TEST(CacheLevels, AreEmptyForAFlatSweep) {
  CacheSweep sweep;
  sweep.triad = stairs({}, {5e-12}, 8);
  sweep.chase = stairs({}, {3e-9}, 4);
  const MemoryHierarchy hierarchy = cache_levels(sweep, {});
  EXPECT_TRUE(hierarchy.levels.empty());
  EXPECT_NEAR(hierarchy.memory_bandwidth, 200e9, 1e3);
}

}  // namespace
}  // namespace flopcast::machine
