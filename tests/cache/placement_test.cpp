#include "flopcast/cache/placement.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "flopcast/kernel/catalogue.hpp"
#include "flopcast/support/error.hpp"

namespace flopcast::cache {
namespace {

Call scale(std::int64_t n, std::uintptr_t address) {
  Call call;
  call.routine = &kernel::require("dscal");
  call.arguments = {n, 0, static_cast<std::int64_t>(address), 1};
  return call;
}

std::vector<CacheLevel> caches(std::initializer_list<std::int64_t> capacities) {
  std::vector<CacheLevel> all;
  for (const std::int64_t capacity : capacities) {
    all.push_back({.name = "cache", .capacity_bytes = capacity});
  }
  return all;
}

TEST(CacheState, LevelsHoldDistancesUpToTheirCapacity) {
  Trace trace;
  trace.calls = {scale(10, 8000), scale(10, 8000), scale(10, 16000), scale(10, 8000), scale(20, 24000), scale(10, 16000), scale(10, 8000)};
  const CacheState state = cache_state(trace, caches({80, 160}), Start::cold);
  std::vector<int> levels;
  for (const Placement& placement : state.placements) {
    levels.push_back(placement[0].level);
  }
  EXPECT_THAT(levels, testing::ElementsAre(2, 0, 2, 1, 2, 2, 2));
  EXPECT_EQ(state.placements[0][0], (OperandState{-1, 2, false}));
  EXPECT_EQ(state.placements[3][0], (OperandState{160, 1, true}));
  EXPECT_THAT(state.bytes_by_level[3], testing::ElementsAre(0, 80, 0, 0, 0));
}

TEST(CacheState, AnOperandInSeveralLevelsIsWhereItsMedianByteIs) {
  Trace trace;
  trace.calls = {scale(10, 8000), scale(4, 8000), scale(10, 8000), scale(6, 8000), scale(10, 8000)};
  const CacheState state = cache_state(trace, caches({50, 80}), Start::cold);
  EXPECT_EQ(state.placements[2][0].level, 1) << "32 of 80 bytes in L1, 48 in L2";
  EXPECT_THAT(state.bytes_by_level[2], testing::ElementsAre(32, 48, 0, 0, 0));
  EXPECT_EQ(state.placements[4][0].level, 0) << "48 of 80 bytes in L1";
}

TEST(CacheState, OperandsThatTouchNothingAreInTheFirstLevel) {
  Trace trace;
  trace.calls = {scale(0, 8000)};
  EXPECT_EQ(cache_state(trace, caches({80}), Start::cold).placements[0][0], (OperandState{0, 0, false}));
}

TEST(CacheState, WithoutCachesAllIsMemory) {
  Trace trace;
  trace.calls = {scale(10, 8000), scale(10, 8000)};
  const CacheState state = cache_state(trace, {});
  EXPECT_EQ(state.placements[1][0].level, 0);
  EXPECT_THAT(state.bytes_by_level[1], testing::ElementsAre(80, 0, 0, 0, 0));
}

TEST(CacheState, CapacitiesMustGrow) {
  EXPECT_THROW(cache_state({}, caches({80, 80})), Error);
  EXPECT_THROW(cache_state({}, caches({0})), Error);
  EXPECT_THROW(cache_state({}, caches({1, 2, 3, 4, 5})), Error);
}

}  // namespace
}  // namespace flopcast::cache
