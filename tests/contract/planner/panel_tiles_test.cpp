#include "flopcast/contract/planner/panel_tiles.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/contract/planner/three_caches.hpp"

namespace flopcast::contract {
namespace {

using ::testing::ElementsAre;

std::vector<std::int64_t> rows_of(const std::vector<RowPanel>& panels) {
  std::vector<std::int64_t> rows;
  for (const RowPanel& panel : panels) {
    rows.push_back(panel.rows);
  }
  return rows;
}

TEST(Panels, AreCountedByTheirLengths) {
  EXPECT_EQ(panels_of(96, 96, 24), (PanelCounts{{24, 4}}));
  EXPECT_EQ(panels_of(100, 48, 24), (PanelCounts{{4, 1}, {24, 4}}));
  EXPECT_EQ(panels_of(100, 30, 24), (PanelCounts{{6, 3}, {10, 1}, {24, 3}}));
  EXPECT_EQ(panels_of(3, 240, 24), (PanelCounts{{3, 1}}));
  EXPECT_TRUE(panels_of(0, 240, 24).empty());
}

TEST(Panels, SmallOnesTakeLongerThanTheirPart) {
  const PanelSize full{24, 8, 8};
  EXPECT_DOUBLE_EQ(products_in_full_panels({{24, 2}}, {{8, 3}}, full), 48 * 24);
  EXPECT_DOUBLE_EQ(products_in_full_panels({{24, 1}}, {{1, 1}}, full), 24 * 8 / 3.0) << "each sum waits four cycles";
  EXPECT_DOUBLE_EQ(products_in_full_panels({{8, 1}}, {{8, 1}}, full), 24 * 8 * 4.5 / 12) << "eight numbers and a vector are loaded";
  EXPECT_DOUBLE_EQ(products_in_full_panels({{3, 1}}, {{8, 1}}, full), 24 * 8 * 4.5 / 12) << "three rows need a vector";
  EXPECT_DOUBLE_EQ(products_in_full_panels({{16, 1}}, {{8, 1}}, full), 16 * 8) << "eight multiplications take four cycles";
}

TEST(Panels, OfTheFirstRowsStandForAll) {
  const Folded f = fold(make_contraction(parse_notation("abx=aix,ib"), {{'a', 10}, {'x', 300}, {'b', 2}, {'i', 3}}));
  double rows = 0;
  for (const auto& [height, number] : panels_of_rows(f.m, 3000, Precision::d)) {
    rows += static_cast<double>(height) * number;
  }
  EXPECT_NEAR(rows, 3000, 1e-6);
}

TEST(RowPanels, EndWithTheRunsOfC) {
  // C's first index a has length 10 and is contiguous; b comes after c
  const Folded f = folded("acb=abi,ic", {{'a', 10}, {'b', 3}, {'c', 5}, {'i', 4}});
  EXPECT_THAT(rows_of(RowPanels(f.m, 24, 8).of(0, 30)), ElementsAre(10, 10, 10));
  EXPECT_THAT(rows_of(RowPanels(f.m, 4, 2).of(0, 30)), ElementsAre(4, 4, 2, 4, 4, 2, 4, 4, 2));
  for (const RowPanel& panel : RowPanels(f.m, 24, 8).of(0, 30)) {
    EXPECT_TRUE(panel.contiguous_a && panel.contiguous_c);
  }
}

TEST(RowPanels, GoOnOverRunsShorterThanAVector) {
  const Folded f = folded("acb=abi,ic", {{'a', 3}, {'b', 4}, {'c', 5}, {'i', 4}});
  const std::vector<RowPanel> panels = RowPanels(f.m, 8, 8).of(0, 12);
  EXPECT_THAT(rows_of(panels), ElementsAre(8, 4));
  EXPECT_FALSE(panels.front().contiguous_c);
  EXPECT_TRUE(panels.front().contiguous_a) << "a and b are one index in A";
}

TEST(RowPanels, GoOnInPiecesForAKernelThatTakesThem) {
  // C's first index a has length 10 and is contiguous; b comes after c, with a stride of 50
  const Folded f = folded("acb=abi,ic", {{'a', 10}, {'b', 3}, {'c', 5}, {'i', 4}});
  const std::vector<RowPanel> panels = RowPanels(f.m, 24, 8, true).of(0, 30);
  ASSERT_THAT(rows_of(panels), ElementsAre(24, 6));
  const auto is = [](const RowPiece& piece, std::int64_t vector, std::int64_t first, std::int64_t end, std::int64_t offset) {
    return piece.vector == vector && piece.first == first && piece.end == end && piece.offset == offset;
  };
  ASSERT_EQ(panels[0].pieces.size(), 5U);
  EXPECT_TRUE(is(panels[0].pieces[0], 0, 0, 8, 0));
  EXPECT_TRUE(is(panels[0].pieces[1], 1, 0, 2, 8));
  EXPECT_TRUE(is(panels[0].pieces[2], 1, 2, 8, 50 - 2));
  EXPECT_TRUE(is(panels[0].pieces[3], 2, 0, 4, 56));
  EXPECT_TRUE(is(panels[0].pieces[4], 2, 4, 8, 100 - 4));
  ASSERT_EQ(panels[1].pieces.size(), 1U) << "the rows are neighbours, but no whole vector";
  EXPECT_TRUE(is(panels[1].pieces[0], 0, 0, 6, 104));
}

TEST(RowPanels, StayApartWhereAIsReadInPlace) {
  const Folded f = folded("acb=aib,ic", {{'a', 16}, {'b', 3}, {'c', 5}, {'i', 4}});
  const std::vector<RowPanel> panels = RowPanels(f.m, 24, 8, true).of(0, 48);
  EXPECT_THAT(rows_of(panels), ElementsAre(16, 16, 16));
  EXPECT_TRUE(panels.front().pieces.empty());
}

TEST(RowPanels, EndWithRunsOfAThatAreLongerThanThoseOfC) {
  // in A's order of the rows, runs have 36 neighbours in A and none in C
  const Folded f = folded("abc=bia,ic", {{'a', 3}, {'b', 36}, {'c', 5}, {'i', 4}});
  const Fold& rows = rows_in(RowOrder::a_major, f);
  const std::vector<RowPanel> panels = RowPanels(rows, 24, 8, true).of(0, 108);
  ASSERT_THAT(rows_of(panels), ElementsAre(24, 12, 24, 12, 24, 12));
  for (const RowPanel& panel : panels) {
    EXPECT_TRUE(panel.contiguous_a && !panel.contiguous_c);
  }
  EXPECT_TRUE(panels[1].vectors_in_a) << "the elements after 12 rows belong to A, too";
  EXPECT_TRUE(panels[4].vectors_in_a);
  EXPECT_FALSE(panels[5].vectors_in_a) << "A ends there";
}

TEST(RowPanels, GoOnWhereRunsOfAWouldLeaveVectorsHalfEmpty) {
  const Folded f = folded("abc=bia,ic", {{'a', 3}, {'b', 10}, {'c', 5}, {'i', 4}});
  EXPECT_THAT(rows_of(RowPanels(rows_in(RowOrder::a_major, f), 24, 8, true).of(0, 30)), ElementsAre(24, 6));
}

/// The kernel reads whole vectors of A in place. A is exactly as large as necessary, so that the address sanitizer would find reads behind
/// it.
TEST(PanelTiles, ReadNothingBehindA) {
  for (const std::int64_t run : {8, 12, 36, 13}) {
    const Folded f = folded("abc=bia,ic", {{'a', 3}, {'b', run}, {'c', 5}, {'i', 4}});
    Folded by_a = f;
    by_a.m = rows_in(RowOrder::a_major, f);
    const std::int64_t rows = by_a.m.extent;
    const std::vector<double> a(static_cast<std::size_t>(rows * 4), 1), b(20, 2);
    std::vector<double> c(static_cast<std::size_t>(rows * 5), 7);
    const PanelKernel<double>& kernel = panel_kernels<double>().front();
    const std::vector<RowPanel> panels = RowPanels(by_a.m, kernel.rows, kernel.lanes, kernel.takes_pieces).of(0, rows);
    const std::vector<ColumnPanel> columns = column_panels(by_a.n, 0, 5, kernel.columns);
    std::vector<double> buffer(static_cast<std::size_t>(packed_elements(panels, kernel.lanes, 4)));
    PanelTiles<double> tiles(by_a, kernel);
    tiles.take_columns(b.data(), columns, {0, 4, constant_step(by_a.k.a, 0, 4), constant_step(by_a.k.b, 0, 4)}, false, nullptr);
    tiles.take_rows(a.data(), panels, {}, false, buffer.data());
    tiles.multiply(c.data(), 1, 0);
    EXPECT_THAT(c, ::testing::Each(8)) << run;
  }
}

TEST(ColumnPanels, KnowAConstantStep) {
  const Folded f = folded("abc=ai,bic", {{'a', 4}, {'b', 3}, {'c', 2}, {'i', 5}});
  const std::vector<ColumnPanel> panels = column_panels(f.n, 0, 6, 2);
  ASSERT_EQ(panels.size(), 3U);
  EXPECT_EQ(panels[0].step_b, 1);
  EXPECT_EQ(panels[1].step_b, 13) << "step from the last b of one c to the first b of the next c";
  EXPECT_EQ(column_panels(f.n, 0, 6, 6)[0].step_b, 0);
}

TEST(PackingOrder, FollowsTheContiguousDimensionOfA) {
  // A is contiguous along b, the second index of C
  const Folded f = folded("abc=bda,dc", {{'a', 3}, {'b', 2}, {'c', 2}, {'d', 4}});
  const std::vector<RowPanel> panels = RowPanels(f.m, 3, 2).of(0, 6);
  const PackingOrder order = packing_order(f.m, panels, f.k.a, 0);
  std::vector<std::int64_t> offsets, all_operands;
  for (const PackingOrder::SingleRow& row : order.rows) {
    offsets.push_back(row.offset_a);
    all_operands.push_back(10 * row.panel + row.at);
  }
  EXPECT_THAT(offsets, ElementsAre(0, 1, 8, 9, 16, 17));
  EXPECT_THAT(all_operands, ElementsAre(0, 10, 1, 11, 2, 12)) << "10 x panel + row";
}

TEST(PackingOrder, TransposesSquaresWhereFourPanelsLieSideBySide) {
  const Folded f = folded("abc=bda,dc", {{'a', 6}, {'b', 5}, {'c', 2}, {'d', 3}});
  const PackingOrder order = packing_order(f.m, RowPanels(f.m, 6, 2).of(0, 30), f.k.a, 0);
  ASSERT_EQ(order.squares.size(), 1U) << "a = 0 ... 3 for b = 0 ... 3";
  EXPECT_THAT(order.squares[0].offset_a, ElementsAre(0, 15, 30, 45));
  EXPECT_THAT(order.squares[0].panel, ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(order.squares[0].at, ElementsAre(0, 0, 0, 0));
  EXPECT_EQ(order.rows.size(), 30U - 16U);
  EXPECT_TRUE(order.lines.empty());
}

TEST(PackingOrder, KnowsTheLinesOfSquaresThatLieFarAway) {
  const Folded f = folded("abc=bda,dc", {{'a', 4}, {'b', 16}, {'c', 2}, {'d', 3}});
  const PackingOrder order = packing_order(f.m, RowPanels(f.m, 4, 2).of(0, 64), f.k.a, 8);
  EXPECT_EQ(order.squares.size(), 4U);
  EXPECT_THAT(order.lines, ElementsAre(0, 8, 48, 56, 96, 104, 144, 152)) << "two lines for each of the four values of a";
}

TEST(PackingOrder, IsNotNeededWhereRowsOrSumsAreContiguous) {
  const Folded rows = folded("ab=ai,ib", {{'a', 6}, {'b', 2}, {'i', 4}});
  EXPECT_TRUE(packing_order(rows.m, RowPanels(rows.m, 4, 2).of(0, 6), rows.k.a, 0).rows.empty());
  const Folded sums = folded("ab=ia,ib", {{'a', 6}, {'b', 2}, {'i', 4}});
  EXPECT_TRUE(packing_order(sums.m, RowPanels(sums.m, 4, 2).of(0, 6), sums.k.a, 0).rows.empty());
}

}  // namespace
}  // namespace flopcast::contract
