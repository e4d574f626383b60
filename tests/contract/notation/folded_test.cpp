#include "flopcast/contract/notation/contraction.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace flopcast::contract {
namespace {

using ::testing::ElementsAre;

TEST(Fold, FusesNeighbouringIndices) {
  // b and c are adjacent in B and C, so that they form one index of length 15
  const Folded folded = fold(make_contraction(parse_notation("abc=ai,ibc"), {{'a', 2}, {'b', 3}, {'c', 5}, {'i', 7}}));
  EXPECT_FALSE(folded.swapped);
  EXPECT_THAT(folded.m.natural, ElementsAre(2));
  EXPECT_THAT(folded.n.natural, ElementsAre(15));
  EXPECT_THAT(folded.k.natural, ElementsAre(7));
  EXPECT_EQ(folded.batch.extent, 1);
  EXPECT_EQ(constant_step(folded.n.c, 0, 15), 2);
  EXPECT_EQ(constant_step(folded.n.b, 0, 15), 7);
}

TEST(Fold, KeepsOtherIndicesApart) {
  const Folded folded = fold(make_contraction(parse_notation("abc=ija,jbic"), {{'a', 2}, {'b', 3}, {'c', 5}, {'i', 7}, {'j', 4}}));
  EXPECT_THAT(folded.n.natural, ElementsAre(3, 15)) << "i lies between b and c in B";
  EXPECT_EQ(constant_step(folded.n.b, 0, 3), 4);
  EXPECT_EQ(constant_step(folded.n.b, 0, 15), 0);
}

TEST(Fold, DropsSizesOfOneAndPutsCsRowsFirst) {
  const Folded folded = fold(make_contraction(parse_notation("xba=ai,ibx"), {{'a', 2}, {'b', 3}, {'x', 1}, {'i', 7}}));
  EXPECT_TRUE(folded.swapped) << "C is contiguous along b, an index of B";
  EXPECT_EQ(folded.m.extent, 3);
  EXPECT_EQ(folded.n.extent, 2);
}

TEST(Fold, CrossesLinesOfCAndA) {
  // C is contiguous along a, A along b: blocks of 12 values of a and all 16 of b come first, then the other blocks of a, and e
  const Folded folded = fold(make_contraction(parse_notation("abec=bdae,dc"), {{'a', 156}, {'b', 16}, {'c', 3}, {'d', 5}, {'e', 2}}));
  ASSERT_FALSE(folded.swapped);
  EXPECT_THAT(folded.interleaved.natural, ElementsAre(12, 12 * 16, 156 * 16, 2 * 156 * 16));
  EXPECT_EQ(constant_step(folded.interleaved.c, 0, 12), 1);
  EXPECT_EQ(folded.interleaved.a[12] - folded.interleaved.a[0], 1) << "the next value of b";
  EXPECT_EQ(folded.interleaved_long_a.extent, 0) << "b has only 16 values";
  std::vector<std::pair<std::int64_t, std::int64_t>> rows, interleaved;
  for (std::size_t i = 0; i < folded.m.a.size(); ++i) {
    rows.emplace_back(folded.m.a[i], folded.m.c[i]);
    interleaved.emplace_back(folded.interleaved.a[i], folded.interleaved.c[i]);
  }
  EXPECT_THAT(interleaved, ::testing::UnorderedElementsAreArray(rows)) << "the same rows in another order";
  EXPECT_EQ(fold(make_contraction(parse_notation("abc=ai,ibc"), {{'a', 64}, {'b', 3}, {'c', 5}, {'i', 7}})).interleaved.extent, 0)
      << "C and A are contiguous along a";
}

TEST(Fold, CrossesLinesAlongA) {
  // C is contiguous along a, A along b: blocks of 24 of the 192 values of a, and of 24 or 96 of the 192 values of b
  const Folded folded = fold(make_contraction(parse_notation("abc=bda,dc"), {{'a', 192}, {'b', 192}, {'c', 3}, {'d', 5}}));
  ASSERT_FALSE(folded.swapped);
  EXPECT_THAT(rows_in(RowOrder::interleaved, folded).natural, ElementsAre(24, 24 * 24, 192 * 24, 192 * 192));
  const Fold& rows = rows_in(RowOrder::interleaved_long_a, folded);
  EXPECT_THAT(rows.natural, ElementsAre(24, 24 * 96, 192 * 96, 192 * 192));
  EXPECT_EQ(constant_step(rows.c, 0, 24), 1);
  EXPECT_EQ(rows.a[24 * 95] - rows.a[0], 95);
}

TEST(Fold, NamesOrdersOfRows) {
  for (const RowOrder order : all_row_orders) {
    EXPECT_EQ(row_order(to_string(order)), order);
  }
  EXPECT_EQ(row_order("B"), std::nullopt);
}

TEST(Fold, OrdersRowsByAWithinLinesOfC) {
  // A is contiguous along b: 96 of its 192 values and 8 values of a come first, then the rest in A's order: blocks of b, e, blocks of a
  const Folded folded = fold(make_contraction(parse_notation("abec=bdea,dc"), {{'a', 40}, {'b', 192}, {'c', 3}, {'d', 5}, {'e', 2}}));
  ASSERT_FALSE(folded.swapped);
  const Fold& rows = rows_in(RowOrder::a_major, folded);
  EXPECT_THAT(rows.natural, ElementsAre(96, 96 * 8, 192 * 8, 192 * 8 * 2, 192 * 8 * 2 * 5));
  EXPECT_EQ(constant_step(rows.a, 0, 96), 1);
  EXPECT_EQ(rows.c[96] - rows.c[0], 1) << "the next value of a";
  EXPECT_EQ(rows.a[96 * 8] - rows.a[0], 96) << "the next block of b";
  EXPECT_THAT(rows.c, ::testing::UnorderedElementsAreArray(folded.m.c)) << "the same rows in another order";
  EXPECT_EQ(&rows_in(RowOrder::as_c, folded), &folded.m);
}

TEST(Fold, OrdersColumnsByTheIndexAlongWhichBIsContiguous) {
  const auto columns = [](const char* text, std::int64_t b) {
    return fold(make_contraction(parse_notation(text), {{'a', 20}, {'b', b}, {'c', 6}, {'i', 7}})).n;
  };
  const Fold whole = columns("acb=ai,bci", 80);
  EXPECT_THAT(whole.natural, ElementsAre(80, 80 * 6));
  EXPECT_EQ(constant_step(whole.b, 0, 80), 1);
  EXPECT_EQ(whole.c[1] - whole.c[0], 20 * 6);
  EXPECT_EQ(whole.c[80] - whole.c[0], 20) << "the next value of c";
  const Fold blocks = columns("acb=ai,bci", 4096);
  EXPECT_THAT(blocks.natural, ElementsAre(256, 256 * 6, 4096 * 6));
  EXPECT_EQ(blocks.b[256 * 6] - blocks.b[0], 256) << "the next block of b";
  EXPECT_THAT(columns("acb=ai,bci", 7).natural, ElementsAre(6, 42)) << "no run of b fills a panel";
  EXPECT_EQ(columns("acb=ai,cbi", 80).b[1], 1) << "B is contiguous along C's first column index";
  EXPECT_THAT(columns("acb=ai,ibc", 80).natural, ElementsAre(6, 480)) << "B is contiguous along the sums";
}

TEST(Fold, KeepsColumnsAlikeRowsOfTheSameTensor) {
  const Folded folded = fold(make_contraction(parse_notation("abcd=bai,dci"), {{'a', 20}, {'b', 30}, {'c', 20}, {'d', 30}, {'i', 7}}));
  EXPECT_EQ(folded.m.a, folded.n.b);
}

TEST(Fold, HasNoOtherOrderWhereThereIsNothingToGain) {
  const auto folded = [](const char* text, std::int64_t b) {
    return fold(make_contraction(parse_notation(text), {{'a', 64}, {'b', b}, {'c', 5}, {'i', 7}}));
  };
  EXPECT_EQ(folded("abc=abi,ic", 64).a_major.extent, 0) << "C and A are contiguous along a";
  EXPECT_EQ(folded("abc=iba,ic", 64).a_major.extent, 0) << "A is contiguous along i";
  EXPECT_EQ(folded("abc=bia,ic", 7).a_major.extent, 0) << "no run of b fills a vector";
  EXPECT_GT(folded("abc=bia,ic", 8).a_major.extent, 0);
  const Folded none = folded("abc=abi,ic", 64);
  EXPECT_EQ(&rows_in(RowOrder::a_major, none), &none.m);
}

TEST(FoldedKey, IsEqualForEqualContractions) {
  const Contraction one = make_contraction(parse_notation("abc=ai,ibc"), {{'a', 2}, {'b', 3}, {'c', 5}, {'i', 7}});
  const Contraction other_names = make_contraction(parse_notation("xyz=xk,kyz"), {{'x', 2}, {'y', 3}, {'z', 5}, {'k', 7}});
  const Contraction matrix = make_contraction(parse_notation("ab=ai,ib"), {{'a', 2}, {'b', 15}, {'i', 7}});
  const Contraction longer = make_contraction(parse_notation("ab=ai,ib"), {{'a', 2}, {'b', 16}, {'i', 7}});
  EXPECT_EQ(folded_key(one), folded_key(other_names));
  EXPECT_EQ(folded_key(one), folded_key(matrix));
  EXPECT_NE(folded_key(one), folded_key(longer));
}

TEST(Fold, OfEmptyTensorsIsEmpty) {
  const Folded folded = fold(make_contraction(parse_notation("ab=ai,ib"), {{'a', 0}, {'b', 3}, {'i', 7}}));
  EXPECT_EQ(folded.m.extent * folded.n.extent, 0);
}

}  // namespace
}  // namespace flopcast::contract
