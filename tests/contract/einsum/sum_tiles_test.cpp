#include "flopcast/contract/einsum/sum_tiles.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

/// The expected values are worked out by hand from the rules in sum_tiles.hpp.
namespace flopcast::contract {

namespace {

using testing::ElementsAre;
using testing::IsEmpty;

using Dimensions = std::vector<SumDimension>;

TEST(MainOperand, HasMoreElements) {
  const Dimensions kept = {{10, {1, 0, 1}}, {20, {0, 1, 10}}};
  EXPECT_EQ(main_operand({kept, {}, true}), in_b) << "10 and 20 elements";
  EXPECT_EQ(main_operand({kept, {}, false}), in_a) << "there is no B";
  EXPECT_EQ(main_operand({{{10, {1, 1, 1}}}, {}, true}), in_a) << "equally many";
  EXPECT_EQ(elements_of({kept, {{3, {10, 20, 0}, true}}, true}, in_a), 30);
  EXPECT_EQ(elements_of({kept, {{3, {10, 20, 0}, true}}, true}, in_c), 200);
}

TEST(AddsByDots, WithoutOtherDimensions) {
  EXPECT_TRUE(adds_by_dots({}, {{2, {1, 1, 0}}}, in_a));
  EXPECT_FALSE(adds_by_dots({{2, {1, 1, 1}}}, {}, in_a));
  EXPECT_FALSE(adds_by_dots({}, {}, in_a));
}

TEST(AddsByDots, AlongTheContiguousDimensionOfTheMainOperand) {
  const Dimensions kept = {{10, {100, 1, 1}}};
  EXPECT_TRUE(adds_by_dots(kept, {{16, {1, 10, 0}}}, in_a));
  EXPECT_FALSE(adds_by_dots(kept, {{15, {1, 10, 0}}}, in_a)) << "too short";
  EXPECT_FALSE(adds_by_dots(kept, {{16, {1, 10, 0}}}, in_b)) << "B is contiguous along C's dimension";
  EXPECT_TRUE(adds_by_dots({{10, {0, 1, 1}}}, {{16, {-50, 10, 0}}}, in_a)) << "A lacks C's dimension";
}

TEST(AddsByDots, WhereCHasFewElements) {
  EXPECT_TRUE(adds_by_dots({{7, {1, 0, 1}}}, {{65, {10, 0, 0}}}, in_a));
  EXPECT_FALSE(adds_by_dots({{8, {1, 0, 1}}}, {{65, {10, 0, 0}}}, in_a));
  EXPECT_FALSE(adds_by_dots({{7, {1, 0, 1}}}, {{64, {10, 0, 0}}}, in_a));
  EXPECT_FALSE(adds_by_dots({{4, {1, 0, 1}}, {2, {4, 0, 4}}}, {{65, {10, 0, 0}}}, in_a)) << "8 elements in two dimensions";
}

TEST(TakeSide, CutsADimensionIntoBlocksOfNearlyEqualLength) {
  Dimensions dimensions = {{7, {1, 2, -3}}, {5, {7, 14, 21}}};
  std::vector<SumLoop> loops = {{9, {}}};
  const SumSide side = take_side(dimensions, 4, loops);
  EXPECT_EQ(side.length, 4);
  EXPECT_EQ(side.last_length, 3);
  EXPECT_THAT(side.steps, ElementsAre(1, 2, -3));
  EXPECT_EQ(side.loop, 1) << "behind the loop that was there";
  EXPECT_EQ(loops.back(), (SumLoop{2, {4, 8, -12}}));
  EXPECT_EQ(dimensions, (Dimensions{{5, {7, 14, 21}}}));
}

TEST(TakeSide, TakesWholeDimensionsAndABlockOfTheNext) {
  Dimensions dimensions = {{3, {1, 0, 2}}, {5, {3, 1, 0}}};
  std::vector<SumLoop> loops;
  const SumSide side = take_side(dimensions, 6, loops);  // 3 values, 2 times in 3 blocks of which the last has 1
  EXPECT_THAT(dimensions, IsEmpty());
  EXPECT_EQ(side.length, 6);
  EXPECT_EQ(side.last_length, 3);
  EXPECT_THAT(loops, ElementsAre(SumLoop{3, {6, 2, 0}}));
  EXPECT_THAT(side.steps, ElementsAre(1, SumSide::scattered, SumSide::scattered));
  EXPECT_THAT(side.offsets[in_a], IsEmpty());
  EXPECT_THAT(side.offsets[in_b], ElementsAre(0, 0, 0, 1, 1, 1));
  EXPECT_THAT(side.offsets[in_c], ElementsAre(0, 2, 4, 0, 2, 4));
  EXPECT_THAT(side.periods, ElementsAre(0, 0, 3));
  EXPECT_EQ(side.offset(in_a, 4), 4);
  EXPECT_EQ(side.offset(in_c, 4), 2);
}

TEST(TakeSide, StopsBeforeADimensionOfWhichOneValueWouldFit) {
  Dimensions dimensions = {{5, {1, 1, 1}}, {4, {10, 10, 10}}};
  std::vector<SumLoop> loops;
  EXPECT_EQ(take_side(dimensions, 9, loops).length, 5);
  EXPECT_THAT(loops, IsEmpty());
  EXPECT_EQ(dimensions.size(), 1U);
  Dimensions none;
  EXPECT_EQ(take_side(none, 9, loops).length, 1);
}

TEST(ChooseTiles, ACopyIsOneLongRow) {
  const SumTiles tiles = choose_tiles({{{1000, {1, 0, 1}}}, {}});
  EXPECT_EQ(tiles.columns.length, 1000);
  EXPECT_EQ(tiles.rows.length, 1);
  EXPECT_THAT(tiles.tiles, IsEmpty());
  EXPECT_FALSE(tiles.sums_up);
  EXPECT_FALSE(tiles.by_columns);
}

TEST(ChooseTiles, ATranspositionHasSquareTiles) {
  const SumTiles tiles = choose_tiles({{{100, {100, 0, 1}}, {100, {1, 0, 100}}}, {}});
  EXPECT_TRUE(tiles.by_columns);
  EXPECT_EQ(tiles.columns.length, 25) << "four blocks of at most 32 doubles";
  EXPECT_EQ(tiles.rows.length, 25);
  EXPECT_THAT(tiles.tiles, ElementsAre(SumLoop{4, {25, 0, 2500}}, SumLoop{4, {2500, 0, 25}}));
  EXPECT_EQ(repetitions(tiles.tiles), 16);
}

TEST(ChooseTiles, SumsAlongContiguousTermsAreDots) {
  const SumTiles tiles = choose_tiles({{{10, {100, 0, 1}}}, {{100, {1, 1, 0}, true}}, true});
  EXPECT_TRUE(tiles.by_dots);
  EXPECT_EQ(tiles.columns.length, 10);
  EXPECT_EQ(tiles.rows.length, 1);
  EXPECT_EQ(tiles.terms_of_row.length, 100);
  EXPECT_THAT(tiles.sums, IsEmpty());
}

TEST(ChooseTiles, SumsAcrossRowsAddRows) {
  const SumTiles tiles = choose_tiles({{{100, {1, 0, 1}}}, {{5, {100, 0, 0}, true}, {40, {700, 0, 0}, true}}});
  EXPECT_TRUE(tiles.sums_up);
  EXPECT_FALSE(tiles.by_dots);
  EXPECT_EQ(tiles.columns.length, 100);
  EXPECT_EQ(tiles.terms_of_row.length, 30) << "5 values, 6 times";
  EXPECT_EQ(tiles.terms_of_row.last_length, 20);
  EXPECT_THAT(tiles.sums, ElementsAre(SumLoop{7, {4200, 0, 0}}));
}

TEST(ChooseTiles, RowsOfAnOuterProductStayInOneDimension) {
  const SumShape shape = {{{480, {1, 0, 1}}, {60, {0, 1, 480}}}, {}, true};
  const SumTiles tiles = choose_tiles(shape);
  EXPECT_EQ(tiles.columns.length, 480);
  EXPECT_EQ(tiles.columns.steps, (std::array<std::int64_t, 3>{1, 0, 1})) << "nothing is collected by a table";
}

TEST(ChooseTiles, FewShortRowsMakeATile) {
  const SumTiles tiles = choose_tiles({{{10, {1, 0, 1}}, {30, {20, 0, 10}}, {7, {900, 0, 300}}}, {}});
  EXPECT_EQ(tiles.columns.length, 30) << "10 values, 3 times in 10 blocks";
  EXPECT_EQ(tiles.rows.length, 7);
  EXPECT_THAT(tiles.tiles, ElementsAre(SumLoop{10, {60, 0, 30}}));
}

}  // namespace
}  // namespace flopcast::contract
