#include "flopcast/contract/planner/tile_plan.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "flopcast/support/error.hpp"

namespace flopcast::contract {
namespace {

using ::testing::ElementsAre;

Folded product(std::int64_t m, std::int64_t n, std::int64_t k, const std::string& notation = "ab=ai,ib") {
  return fold(make_contraction(parse_notation(notation), {{'a', m}, {'b', n}, {'i', k}}));
}

TilePlan planned(const Folded& folded, const std::string& tiles, int threads = 1) {
  return make_tile_plan(folded, parse_tiles(tiles, threads));
}

TEST(TilePlan, CutsEveryDimension) {
  const TilePlan plan = planned(product(100, 40, 30), "48x40x16");
  EXPECT_THAT(plan.counts.values, ElementsAre(3, 1, 2));
  EXPECT_EQ(plan.m.back().first, 96);
  EXPECT_EQ(plan.m.back().length, 4);
  EXPECT_EQ(plan.k.back().length, 14);
}

TEST(TilePlan, TilesAreNoLongerThanTheContraction) {
  const TilePlan plan = planned(product(10, 20, 30), "whole");
  EXPECT_EQ(plan.tiling.m, 10);
  EXPECT_EQ(plan.tiling.n, 20);
  EXPECT_EQ(plan.tiling.k, 30);
}

TEST(TilePlan, BlasReadsMatricesWhereTheyLie) {
  const TilePlan plan = planned(product(100, 40, 30), "48x40x16");
  EXPECT_EQ(plan.packed(), "");
  EXPECT_EQ(plan.buffer_bytes(), 0);
}

TEST(TilePlan, HasRoomForWhatIsPacked) {
  const Folded folded = fold(make_contraction(parse_notation("abc=iaj,jbic"), {{'a', 8}, {'b', 8}, {'c', 8}, {'i', 4}, {'j', 4}}));
  const TilePlan plan = planned(folded, "8x8x16");
  EXPECT_FALSE(plan.packed().empty());
  EXPECT_GE(plan.buffer_bytes(), 8 * 16 * 8) << "a tile of A or B in doubles";
  EXPECT_EQ(plan.buffer_bytes() % 64, 0) << "buffers are whole cache lines";
}

TEST(TilePlan, UnitsCoverAllTilesOnce) {
  for (const char* tiles : {"8x8x16", "8x8x16:gemm:knm", "8x8x16:gemm:mnk", "8x8x16:panels", "8x8x4:gemm:splitK"}) {
    for (const int threads : {1, 3}) {
      const TilePlan plan = planned(product(100, 44, 30), tiles, threads);
      std::size_t all = 0;
      for (std::size_t number = 0; number < plan.units(); ++number) {
        const WorkUnit unit = plan.unit(number);
        std::size_t count = 1;
        for (const TileLoop loop : {TileLoop::m, TileLoop::n, TileLoop::k}) {
          count *= unit.last[loop] - unit.first[loop];
        }
        all += count;
      }
      EXPECT_EQ(all, plan.m.size() * plan.n.size() * plan.k.size()) << tiles << " on " << threads;
    }
  }
}

TEST(TilePlan, KeepsOnlyWhatComesBack) {
  const TilePlan usual = planned(product(64, 64, 64, "ab=ai,ib"), "8x8x8:panels:keepC");
  EXPECT_EQ(kept_operands(usual.tiling), "") << "panels write C without a buffer";
}

TEST(TilePlan, AMirroredTilingLeavesUpperTilesOut) {
  Tiling tiling{8, 8, 16};
  tiling.mirrored = true;
  const Folded symmetric = fold(make_contraction(parse_notation("ab=ai,bi"), {{'a', 32}, {'b', 32}, {'i', 16}}));
  EXPECT_THAT(make_tile_plan(symmetric, tiling).first_rows, ElementsAre(0, 1, 2, 3));
  EXPECT_THROW(static_cast<void>(make_tile_plan(product(32, 32, 16), tiling)), Error);
}

TEST(TilePlan, RefusesKernelsThatCannotComputeIt) {
  const Folded complex = fold(make_contraction(parse_notation("ab=ai,ib"), {{'a', 8}, {'b', 8}, {'i', 8}}, Precision::z));
  EXPECT_THROW(static_cast<void>(planned(complex, "8x8x8:panels")), Error);
  EXPECT_THROW(static_cast<void>(planned(product(8, 8, 800), "8x8x800:streaming")), Error) << "too long a sum";
}

}  // namespace
}  // namespace flopcast::contract
