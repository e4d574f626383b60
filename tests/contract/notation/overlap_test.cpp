#include "flopcast/contract/notation/overlap.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>
#include <set>

#include "flopcast/support/error.hpp"

namespace flopcast::contract {
namespace {

/// a=2, b=3, i=4: A has 8 elements, B 12, C 6.
Contraction product(const std::array<std::vector<std::int64_t>, 3>& strides = {}) {
  return make_contraction(parse_notation("ab=ai,ib"), {{'a', 2}, {'b', 3}, {'i', 4}}, Precision::d, Order::column_major, strides);
}

std::string complaint(const Contraction& contraction, const double* a, const double* b, const double* c) {
  try {
    require_apart(contraction, a, b, c);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(RequireApart, TellsNeighboursFromOverlaps) {
  const std::array<double, 40> memory{};
  const double* at = memory.data();
  EXPECT_EQ(complaint(product(), at, at + 8, at + 20), "");
  EXPECT_EQ(complaint(product(), at, at, at + 12), "") << "A and B may share memory";
  EXPECT_EQ(complaint(product(), at + 6, at + 14, at), "");
  EXPECT_THAT(complaint(product(), at, at + 20, at + 7), ::testing::HasSubstr("C overlaps A in memory: 64 bytes of A begin -56 bytes"));
  EXPECT_THAT(complaint(product(), at + 20, at, at + 11), ::testing::HasSubstr("C overlaps B"));
  EXPECT_THAT(complaint(product(), at + 30, at, at + 4), ::testing::HasSubstr("C overlaps B")) << "C lies inside B";
}

TEST(RequireApart, CountsStridesAndDirections) {
  const std::array<double, 60> memory{};
  const double* at = memory.data();
  EXPECT_THAT(complaint(product({{{1, 10}, {}, {}}}), at, at + 40, at + 25), ::testing::HasSubstr("C overlaps A"));
  const Contraction backwards = product({{{-1, 2}, {}, {}}});
  EXPECT_THAT(complaint(backwards, at + 6, at + 20, at), ::testing::HasSubstr("C overlaps A"))
      << "A's lowest element lies before its first";
  EXPECT_EQ(complaint(backwards, at + 7, at + 20, at), "");
}

TEST(RequireApart, TellsInterleavedViewsApart) {
  const std::array<double, 80> memory{};
  const double* at = memory.data();
  const Contraction every_second = product({{{2, 4}, {}, {2, 4}}});
  EXPECT_EQ(complaint(every_second, at, at + 40, at + 1), "") << "A has the even elements, C the odd ones";
  EXPECT_THAT(complaint(every_second, at, at + 40, at + 2), ::testing::HasSubstr("C overlaps A"));
  const Contraction side_by_side = product({{{10, 1}, {}, {10, 1}}});
  EXPECT_EQ(complaint(side_by_side, at, at + 40, at + 4), "") << "A has four columns of each row of ten, C the next three";
  EXPECT_THAT(complaint(side_by_side, at, at + 40, at + 3), ::testing::HasSubstr("C overlaps A"));
  const auto* half = reinterpret_cast<const double*>(reinterpret_cast<const char*>(at) + 4);
  EXPECT_THAT(complaint(every_second, at, at + 40, half), ::testing::HasSubstr("C overlaps A")) << "C begins half an element after A";
}

TEST(RequireApart, IsExact) {
  std::mt19937 random(5);
  const std::vector<double> memory(2000);
  const double* middle = memory.data() + 1000;
  int apart = 0;
  for (int i = 0; i < 3000; ++i) {
    const auto stride = [&](std::int64_t least, std::int64_t most) {
      const auto size = least + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(most - least + 1));
      return random() % 2 == 0 ? size : -size;
    };
    const Contraction contraction = product({{{stride(1, 12), stride(1, 12)}, {}, {stride(1, 6), stride(7, 12)}}});
    const auto shift = static_cast<std::int64_t>(random() % 61) - 30;
    bool overlaps = false;
    for (int element = 0; element < 8 * 6; ++element) {
      const Tensor &a = contraction.tensor(Operand::a), &c = contraction.tensor(Operand::c);
      const std::int64_t in_a = element % 2 * a.strides[0] + element / 2 % 4 * a.strides[1];
      const std::int64_t in_c = element / 8 % 2 * c.strides[0] + element / 16 * c.strides[1];
      overlaps = overlaps || in_a == in_c + shift;
    }
    apart += overlaps ? 0 : 1;
    EXPECT_EQ(complaint(contraction, middle, memory.data(), middle + shift).empty(), !overlaps) << to_string(contraction.notation()) << i;
  }
  EXPECT_GT(apart, 300);
}

TEST(RequireApart, EmptyTensorsOverlapNothing) {
  const Contraction empty = make_contraction(parse_notation("ab=ai,ib"), {{'a', 2}, {'b', 3}, {'i', 0}});
  const std::array<double, 6> memory{};
  EXPECT_EQ(complaint(empty, memory.data(), memory.data(), memory.data()), "");
}

TEST(MayShareAddresses, IsExact) {
  std::mt19937 random(6);
  const auto below = [&](std::int64_t most) { return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(most)); };
  int apart = 0;
  for (int i = 0; i < 3000; ++i) {
    std::array<Axis, 3> axes;
    for (Axis& axis : axes) {
      axis = {below(41) - 20, 1 + below(4)};
    }
    std::set<std::int64_t> addresses;
    for (std::int64_t x = 0; x < axes[0].extent; ++x) {
      for (std::int64_t y = 0; y < axes[1].extent; ++y) {
        for (std::int64_t z = 0; z < axes[2].extent; ++z) {
          addresses.insert(x * axes[0].stride + y * axes[1].stride + z * axes[2].stride);
        }
      }
    }
    const bool shared = std::ssize(addresses) < axes[0].extent * axes[1].extent * axes[2].extent;
    apart += shared ? 0 : 1;
    EXPECT_EQ(may_share_addresses(axes), shared) << i;
  }
  EXPECT_GT(apart, 300);
  EXPECT_LT(apart, 2700);
}

/// The indices resemble a slice of a dense array with odd sizes. A result of true would mean that the search gave up.
TEST(MayShareAddresses, TakesNoTimeForManyNestedIndices) {
  std::vector<Axis> axes;
  std::int64_t next = 1;
  for (int i = 0; i < 30; ++i) {
    axes.push_back({next, 2});
    next = 2 * next + i % 3;
  }
  std::shuffle(axes.begin(), axes.end(), std::mt19937(7));
  EXPECT_FALSE(may_share_addresses(axes));
  axes.push_back({axes.front().stride, 2});
  EXPECT_TRUE(may_share_addresses(axes));
}

}  // namespace
}  // namespace flopcast::contract
