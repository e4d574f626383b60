#include "flopcast/measure/cache_control.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <numeric>
#include <vector>

#include "flopcast/support/error.hpp"

namespace flopcast::measure {
namespace {

constexpr std::int64_t mebibyte = std::int64_t{1} << 20;

CacheLevel level(std::int64_t capacity_bytes, int associativity) {
  CacheLevel level;
  level.capacity_bytes = capacity_bytes;
  level.associativity = associativity;
  return level;
}

TEST(CacheControl, LeavesContentsAsTheyAre) {
  std::vector<double> values(10000);
  std::iota(values.begin(), values.end(), 0.0);
  const std::vector<double> before = values;
  const auto address = reinterpret_cast<std::uintptr_t>(values.data());
  for (const Region& region : {rectangle(address, 90, 90, 100, 8), lower_trapezoid(address, 99, 99, 100, 8),
                               upper_triangle(address, 99, 100, 8, true), strided_vector(address, 100, 100, 8), Region{}}) {
    read_lines(region);
    rewrite_lines(region);
    if (can_flush_lines()) {
      flush_lines(region);
    }
    EXPECT_EQ(values, before);
  }
}

TEST(CacheControl, WritesOnlyTheRegionPastTheCaches) {
  if (!can_flush_lines()) {
    GTEST_SKIP() << "this CPU can't flush lines";
  }
  constexpr std::uint64_t half = 0x3fe0000000000000;  // the bytes of 0.5
  for (const std::int64_t first : {0, 3, 8}) {
    for (const std::int64_t rows : {1, 5, 8, 40}) {
      std::vector<double> values(200, 7.0);
      write_past_caches(rectangle(reinterpret_cast<std::uintptr_t>(values.data() + first), rows, 3, 50, 8), half);
      for (std::int64_t i = 0; i < std::ssize(values); ++i) {
        const std::int64_t at = i - first;
        const bool inside = at >= 0 && at < 150 && at % 50 < rows;
        EXPECT_EQ(values[static_cast<std::size_t>(i)], inside ? 0.5 : 7.0) << first << ' ' << rows << ' ' << i;
      }
    }
  }
}

TEST(Sweeper, ReadsAssociativityTimesCapacityWithinBounds) {
  EXPECT_EQ(Sweeper({}).flush_bytes(), 256 * mebibyte);
  EXPECT_EQ(Sweeper({level(32 * 1024, 8), level(8 * mebibyte, 16)}).flush_bytes(), 128 * mebibyte);
  EXPECT_EQ(Sweeper({level(64 * mebibyte, 16)}).flush_bytes(), 256 * mebibyte);
  EXPECT_EQ(Sweeper({level(300 * mebibyte, 16)}).flush_bytes(), 600 * mebibyte);
  EXPECT_EQ(Sweeper({level(8 * mebibyte, 0)}).flush_bytes(), 256 * mebibyte);
}

TEST(Sweeper, EvictsOnlyLevelsThatWereMeasured) {
  Sweeper sweeper({level(32 * 1024, 8), level(mebibyte, 16)});
  EXPECT_NO_THROW(sweeper.evict(0));
  EXPECT_NO_THROW(sweeper.evict(1));
  EXPECT_THROW(sweeper.evict(2), Error);
  EXPECT_THROW(sweeper.evict(-1), Error);
}

TEST(Memory, IsZeroedPageAlignedAndGrows) {
  Memory memory;
  EXPECT_EQ(memory.size_bytes(), 0);
  memory.reserve(10000);
  EXPECT_EQ(memory.begin() % 4096, 0);
  EXPECT_EQ(memory.size_bytes(), 10000);
  const std::vector<char> zeros(10000);
  EXPECT_EQ(std::memcmp(reinterpret_cast<const void*>(memory.begin()), zeros.data(), zeros.size()), 0);
  const std::uintptr_t before = memory.begin();
  memory.reserve(5000);
  EXPECT_EQ(memory.begin(), before);
  memory.reserve(20000);
  EXPECT_EQ(memory.size_bytes(), 20000);
}

TEST(Memory, IsRefusedBeforeTheSystemKills) {
  try {
    const Memory memory(std::int64_t{1} << 50);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::environment);
  }
}

}  // namespace
}  // namespace flopcast::measure
