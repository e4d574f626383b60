#include "flopcast/contract/overlap.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

#include "flopcast/core/error.hpp"

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
  EXPECT_THAT(complaint(product(), at + 30, at, at + 4), ::testing::HasSubstr("C overlaps B")) << "inside";
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

TEST(RequireApart, EmptyTensorsOverlapNothing) {
  const Contraction empty = make_contraction(parse_notation("ab=ai,ib"), {{'a', 2}, {'b', 3}, {'i', 0}});
  const std::array<double, 6> memory{};
  EXPECT_EQ(complaint(empty, memory.data(), memory.data(), memory.data()), "");
}

}  // namespace
}  // namespace flopcast::contract
