#include "flopcast/contract/planner/panels.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <utility>
#include <vector>

namespace flopcast::contract {
namespace {

using testing::ElementsAre;
using testing::Pair;

/// Returns a dimension whose offsets within A are `a` and within C are `c`.
Fold rows_at(std::vector<std::int64_t> a, std::vector<std::int64_t> c) {
  const auto extent = static_cast<std::int64_t>(a.size());
  return {std::move(a), std::vector<std::int64_t>(static_cast<std::size_t>(extent), 0), std::move(c), extent, {extent}};
}

/// Returns `count` offsets in runs of `run` neighbours, `step` apart.
std::vector<std::int64_t> runs(std::int64_t count, std::int64_t run, std::int64_t step) {
  std::vector<std::int64_t> offsets;
  for (std::int64_t i = 0; i < count; ++i) {
    offsets.push_back(i / run * step + i % run);
  }
  return offsets;
}

std::vector<std::int64_t> heights(const std::vector<RowPanel>& panels) {
  std::vector<std::int64_t> all;
  for (const RowPanel& panel : panels) {
    all.push_back(panel.rows);
  }
  return all;
}

TEST(PanelCounts, AreFullPanelsAndTheRestOfEachTile) {
  // 100 = 3 tiles of 30 and one of 10; a tile of 30 is three panels of 8 and one of 6, the last tile one of 8 and one of 2
  EXPECT_THAT(panels_of(100, 30, 8), ElementsAre(Pair(2, 1), Pair(6, 3), Pair(8, 10)));
  EXPECT_THAT(panels_of(24, 24, 8), ElementsAre(Pair(8, 3)));
  EXPECT_THAT(panels_of(3, 8, 8), ElementsAre(Pair(3, 1)));
}

TEST(CyclesOfAPanel, AreThoseOfItsNarrowestResource) {
  EXPECT_EQ(cycles_of_panel(24, 8, 8), 12) << "3 vectors times 8 columns in two units";
  EXPECT_EQ(cycles_of_panel(8, 1, 8), 4) << "one addition";
  EXPECT_EQ(cycles_of_panel(9, 6, 8), 6) << "9 rows fill 2 vectors";
  EXPECT_EQ(cycles_of_panel(160, 1, 8), 10.5) << "loads: 20 vectors and a number, two at once";
}

TEST(ProductsInFullPanels, CountSmallPanelsByTheirCycles) {
  const PanelSize full = {24, 8, 8};
  EXPECT_DOUBLE_EQ(products_in_full_panels({{24, 2}}, {{8, 3}}, full), 2 * 3 * 24 * 8);
  // a panel of one row and eight columns takes 4.5 cycles for nine loads, where 192 products take 12
  EXPECT_DOUBLE_EQ(products_in_full_panels({{1, 1}}, {{8, 1}}, full), 72);
}

TEST(RowPanels, FollowNeighboursUpToTheirHeight) {
  const Fold dense = rows_at(runs(20, 20, 20), runs(20, 20, 20));
  const std::vector<RowPanel> panels = RowPanels(dense, 8, 4).of(0, 20);
  EXPECT_THAT(heights(panels), ElementsAre(8, 8, 4));
  for (const RowPanel& panel : panels) {
    EXPECT_TRUE(panel.contiguous_a && panel.contiguous_c && panel.vectors_in_a);
    EXPECT_TRUE(panel.pieces.empty());
  }
  const std::vector<RowPanel> part = RowPanels(dense, 8, 4).of(10, 9);
  EXPECT_THAT(heights(part), ElementsAre(8, 1));
  EXPECT_EQ(part[0].first, 10);
  EXPECT_FALSE(part[1].vectors_in_a) << "a vector from row 18 on would end behind A";
}

TEST(RowPanels, EndWhereRunsOfCEndUnlessThatIsShorterThanAVector) {
  EXPECT_THAT(heights(RowPanels(rows_at(runs(12, 12, 12), runs(12, 6, 100)), 8, 4).of(0, 12)), ElementsAre(6, 6));
  EXPECT_THAT(heights(RowPanels(rows_at(runs(12, 1, 10), runs(12, 3, 100)), 8, 4).of(0, 12)), ElementsAre(8, 4));
}

TEST(RowPanels, GoOnOverRunsOfCInPieces) {
  const Fold m = rows_at(runs(12, 1, 10), runs(12, 6, 100));
  const std::vector<RowPanel> panels = RowPanels(m, 8, 4, true).of(0, 12);
  EXPECT_THAT(heights(panels), ElementsAre(8, 4));
  ASSERT_EQ(panels[0].pieces.size(), 3U) << "rows 0 to 3, 4 and 5, and 6 and 7 behind a gap";
  EXPECT_FALSE(panels[0].contiguous_c);
  EXPECT_FALSE(panels[0].contiguous_a);
}

TEST(RowPanels, EndWithRunsOfAWhereFewLanesStayEmpty) {
  // C's runs are single rows, A's have 8 and fill two vectors of 4; runs of 5 would leave 3 of 8 lanes empty
  EXPECT_THAT(heights(RowPanels(rows_at(runs(16, 8, 100), runs(16, 1, 10)), 12, 4).of(0, 16)), ElementsAre(8, 8));
  EXPECT_THAT(heights(RowPanels(rows_at(runs(15, 5, 100), runs(15, 1, 10)), 12, 4).of(0, 15)), ElementsAre(12, 3));
}

TEST(RowPanels, CoverTheirRowsOnce) {
  for (std::int64_t run_a = 1; run_a < 10; ++run_a) {
    for (std::int64_t run_c = 1; run_c < 10; ++run_c) {
      for (const bool in_pieces : {false, true}) {
        const Fold m = rows_at(runs(37, run_a, 50), runs(37, run_c, 70));
        std::int64_t next = 3;
        for (const RowPanel& panel : RowPanels(m, 12, 4, in_pieces).of(3, 31)) {
          EXPECT_EQ(panel.first, next);
          EXPECT_LE(panel.rows, 12);
          next += panel.rows;
        }
        EXPECT_EQ(next, 34);
      }
    }
  }
}

TEST(ColumnPanels, KnowTheStepOfB) {
  Fold n = rows_at(runs(7, 7, 7), runs(7, 7, 7));
  n.b = {0, 5, 10, 15, 20, 26, 30};
  const std::vector<ColumnPanel> panels = column_panels(n, 0, 7, 3);
  ASSERT_EQ(panels.size(), 3U);
  EXPECT_EQ(panels[0].step_b, 5);
  EXPECT_EQ(panels[1].step_b, 0) << "15, 20, 26";
  EXPECT_EQ(panels[2].columns, 1);
  EXPECT_EQ(panels[2].step_b, 1);
  EXPECT_EQ(packed_elements(panels, 10), 70);
}

TEST(PackedElements, CountWholeVectorsOfRows) {
  std::vector<RowPanel> panels(2);
  panels[0].rows = 8;
  panels[1].rows = 5;
  EXPECT_EQ(packed_elements(panels, 4, 10), (8 + 8) * 10);
}

TEST(PackingOrders, ReadLinesOfAOnce) {
  // C's rows go across A: rows 0, 4, 8, 12 of A are panel 0, and so on
  std::vector<std::int64_t> a;
  for (std::int64_t i = 0; i < 16; ++i) {
    a.push_back(i % 4 * 4 + i / 4);
  }
  const Fold m = rows_at(a, runs(16, 16, 16));
  const std::vector<RowPanel> panels = RowPanels(m, 4, 4).of(0, 16);
  ASSERT_THAT(heights(panels), ElementsAre(4, 4, 4, 4));
  const PackingOrder order = packing_order(m, panels, {0, 100, 200}, 8);
  ASSERT_EQ(order.squares.size(), 1U);
  EXPECT_TRUE(order.rows.empty());
  EXPECT_THAT(order.squares[0].panel, ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(order.squares[0].offset_a, ElementsAre(0, 4, 8, 12));
  EXPECT_THAT(order.lines, ElementsAre(0, 8));
  EXPECT_TRUE(packing_order(m, panels, {0, 1, 2}, 8).is_empty()) << "A is read along K";
  const Fold dense = rows_at(runs(16, 16, 16), runs(16, 16, 16));
  EXPECT_TRUE(packing_order(dense, RowPanels(dense, 4, 4).of(0, 16), {0, 100}, 8).is_empty()) << "rows are neighbours within panels";
}

TEST(ScatteredRows, AreThoseWhosePanelsAreNoNeighboursInA) {
  EXPECT_EQ(share_of_scattered_rows(rows_at(runs(960, 960, 960), runs(960, 960, 960)), 960, Precision::d), 0);
  EXPECT_EQ(share_of_scattered_rows(rows_at(runs(960, 1, 7), runs(960, 960, 960)), 960, Precision::d), 1);
}

}  // namespace
}  // namespace flopcast::contract
