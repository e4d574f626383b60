#include "flopcast/contract/planner/benchmark_candidates.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace flopcast::contract {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;

TEST(PartOfAFold, HasTheOffsetsOfItsValues) {
  const Folded f = fold(make_contraction(parse_notation("abc=bia,ic"), {{'a', 3}, {'b', 2}, {'c', 5}, {'i', 4}}));
  const Fold part = part_of(f.m, 2, 3);  // a = 2 for b = 0, a = 0 and 1 for b = 1
  EXPECT_EQ(part.extent, 3);
  EXPECT_THAT(part.a, ElementsAre(16, 1, 9));
  EXPECT_THAT(part.c, ElementsAre(2, 3, 4));
  EXPECT_THAT(part.b, Each(0)) << "B has none of these indices";
}

TEST(BeginningOfAFold, IsNoLongerThanTheFold) {
  const Folded f = fold(make_contraction(parse_notation("abc=bia,ic"), {{'a', 3}, {'b', 2}, {'c', 5}, {'i', 4}}));
  EXPECT_THAT(beginning(f.m, 4).natural, ElementsAre(3, 4)) << "one value of b and a part of the next";
  EXPECT_THAT(beginning(f.m, 2).natural, ElementsAre(2));
  EXPECT_EQ(beginning(f.m, 100).extent, 6);
}

}  // namespace
}  // namespace flopcast::contract
