#include "flopcast/core/call.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

namespace flopcast {
namespace {

/// Every byte of a region, one by one.
std::multiset<std::uintptr_t> bytes_of(const Region& region) {
  std::multiset<std::uintptr_t> bytes;
  for (std::int64_t j = 0; j < region.columns; ++j) {
    const std::int64_t length = region.column_bytes + j * region.growth_bytes;
    for (std::int64_t i = 0; i < length; ++i) {
      bytes.insert(region.address + static_cast<std::uintptr_t>(j * region.stride_bytes + i));
    }
  }
  return bytes;
}

bool overlap_bytewise(const Region& a, const Region& b) {
  const auto first = bytes_of(a), second = bytes_of(b);
  return std::any_of(first.begin(), first.end(), [&](std::uintptr_t byte) { return second.count(byte) > 0; });
}

/// Returns a region, near address 1000, of any form that operands have.
Region random_region(std::mt19937& random) {
  const auto up_to = [&](std::int64_t largest) { return std::uniform_int_distribution<std::int64_t>(0, largest)(random); };
  const std::uintptr_t address = 1000 + static_cast<std::uintptr_t>(up_to(60));
  const std::int64_t element = std::int64_t{1} << up_to(2);
  const std::int64_t rows = up_to(6), columns = up_to(6), ld = std::max<std::int64_t>(1, rows) + up_to(3);
  switch (up_to(4)) {
    case 0: return rectangle(address, rows, columns, ld, element);
    case 1: return strided_vector(address, rows, up_to(8) - 4, element);
    case 2: return lower_trapezoid(address, rows, columns, ld, element, up_to(1) == 1);
    case 3: return upper_triangle(address, rows, ld, element, up_to(1) == 1);
    default: return {address, element * (1 + up_to(3)), 1 + up_to(4), (8 + up_to(4)) * element, 0};
  }
}

TEST(Region, CountsItsBytes) {
  std::mt19937 random(1);
  for (int trial = 0; trial < 2000; ++trial) {
    const Region region = random_region(random);
    const auto bytes = bytes_of(region);
    EXPECT_EQ(region.bytes(), static_cast<std::int64_t>(bytes.size()));
    EXPECT_EQ(region.empty(), bytes.empty());
    EXPECT_EQ(std::set<std::uintptr_t>(bytes.begin(), bytes.end()).size(), bytes.size()) << "runs overlap";
  }
}

TEST(Region, GivesItsEnds) {
  std::mt19937 random(2);
  for (int trial = 0; trial < 2000; ++trial) {
    const Region region = random_region(random);
    const auto bytes = bytes_of(region);
    if (!bytes.empty()) {
      EXPECT_EQ(region.begin(), *bytes.begin());
      EXPECT_EQ(region.end(), *bytes.rbegin() + 1);
    }
  }
}

TEST(Region, OverlapsIfAByteIsShared) {
  std::mt19937 random(3);
  int overlapping = 0;
  for (int trial = 0; trial < 20000; ++trial) {
    const Region a = random_region(random), b = random_region(random);
    const bool expected = overlap_bytewise(a, b);
    overlapping += expected ? 1 : 0;
    ASSERT_EQ(a.overlaps(b), expected) << a.address << " " << a.column_bytes << " " << a.columns << " " << a.stride_bytes << " "
                                       << a.growth_bytes << " and " << b.address << " " << b.column_bytes << " " << b.columns << " "
                                       << b.stride_bytes << " " << b.growth_bytes;
    ASSERT_EQ(b.overlaps(a), expected);
  }
  EXPECT_GT(overlapping, 1000);
}

TEST(Region, NeighbouringPanelsOfAMatrixAreDisjoint) {
  const std::int64_t ld = 104;
  const Region left = rectangle(4096, 100, 32, ld, 8), right = rectangle(4096 + 32 * ld * 8, 100, 32, ld, 8);
  const Region top = rectangle(4096, 50, 64, ld, 8), bottom = rectangle(4096 + 50 * 8, 50, 64, ld, 8);
  EXPECT_FALSE(left.overlaps(right));
  EXPECT_FALSE(top.overlaps(bottom));
  EXPECT_TRUE(left.overlaps(top));
  EXPECT_TRUE(right.overlaps(bottom));
}

TEST(Region, TrianglesOfOneMatrixMeetOnTheDiagonal) {
  const Region lower = lower_trapezoid(4096, 30, 30, 40, 8), upper = upper_triangle(4096, 30, 40, 8);
  EXPECT_TRUE(lower.overlaps(upper));
  EXPECT_FALSE(lower_trapezoid(4096, 30, 30, 40, 8, true).overlaps(upper));
  EXPECT_FALSE(lower.overlaps(upper_triangle(4096, 30, 40, 8, true)));
}

TEST(Region, ContainsItsBytesAndNoOthers) {
  const Region triangle = lower_trapezoid(4096, 3, 3, 10, 8);
  EXPECT_TRUE(triangle.contains(4096));
  EXPECT_TRUE(triangle.contains(4096 + 23));
  EXPECT_FALSE(triangle.contains(4096 + 24)) << "below the third row";
  EXPECT_FALSE(triangle.contains(4095));
  EXPECT_FALSE(triangle.contains(4096 + 80)) << "above the diagonal";
  EXPECT_TRUE(triangle.contains(4096 + 88));
  EXPECT_TRUE(triangle.contains(4096 + 2 * 88 + 7));
  EXPECT_FALSE(triangle.contains(4096 + 2 * 88 + 8));
}

TEST(Region, WithoutBytesTouchesNothing) {
  const Region nothing = rectangle(4096, 0, 5, 10, 8), all = rectangle(0, 100000, 1, 100000, 8);
  EXPECT_EQ(nothing.bytes(), 0);
  EXPECT_FALSE(nothing.overlaps(all));
  EXPECT_FALSE(all.overlaps(nothing));
  EXPECT_TRUE(strided_vector(4096, -3, 1, 8).empty());
}

TEST(Region, ShortRunsAreWidenedToTheirLines) {
  EXPECT_EQ(whole_lines(strided_vector(4096 + 72, 5, 100, 8), 64), (Region{4096 + 64, 64, 5, 800, 0}));
  EXPECT_EQ(whole_lines(rectangle(4096 + 56, 2, 5, 100, 8), 64), (Region{4096, 128, 5, 800, 0})) << "the two elements lie on two lines";
  EXPECT_EQ(whole_lines(strided_vector(4096 + 8, 10, 3, 8), 64), (Region{4096, 256, 1, 256, 0}))
      << "no line between two elements is left out";
  const Region matrix = rectangle(4096, 8, 5, 100, 8), triangle = upper_triangle(4096, 5, 100, 8), row = strided_vector(4096, 5, 100, 8);
  EXPECT_EQ(whole_lines(matrix, 64), matrix);
  EXPECT_EQ(whole_lines(triangle, 64), triangle);
  EXPECT_EQ(whole_lines(row, 1), row);
  EXPECT_TRUE(whole_lines(strided_vector(4096, 0, 100, 8), 64).empty());
}

TEST(Region, VectorOfIncrementZeroIsOneElement) { EXPECT_EQ(strided_vector(4096, 7, 0, 8).bytes(), 8); }

}  // namespace
}  // namespace flopcast
