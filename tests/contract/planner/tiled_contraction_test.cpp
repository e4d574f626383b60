#include "flopcast/contract/planner/tiled_contraction.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "tests/contract/planner/three_caches.hpp"

namespace flopcast::contract {
namespace {

TEST(TiledContraction, ATimedRunComputesTheSame) {
  const Folded f = folded("abc=bia,ic", {{'a', 40}, {'b', 30}, {'c', 50}, {'i', 60}});
  const std::vector<double> a(40 * 30 * 60, 0.5), b(60 * 50, 2);
  std::vector<double> c(40 * 30 * 50, 7), timed = c;
  const TiledContraction tiled(f, {100, 24, 25, TileKernel::panels}, {});
  tiled.run(a.data(), b.data(), c.data(), 2.0, 1.0);
  const PartTimes times = tiled.run_timed(a.data(), b.data(), timed.data(), 2.0, 1.0, machine::WallClock(1e-3));
  EXPECT_EQ(timed, c);
  EXPECT_EQ(c.front(), 7 + 2 * 60);
  EXPECT_GT(times.pack_a, 0) << "rows of A are no neighbours";
  EXPECT_GT(times.rest, 0);
}

TEST(TiledContraction, ThreadsTakeColumnsIfNoneWaitsLonger) {
  const Folded f = folded("ab=ai,ib", {{'a', 96}, {'b', 96}, {'i', 8}});
  const auto sharing = [&](std::int64_t m, std::int64_t n, int threads, LoopOrder order) {
    Tiling tiling{m, n, 8, TileKernel::gemm, threads};
    tiling.order = order;
    return sharing_of(f, tiling);
  };
  using enum LoopOrder;
  EXPECT_EQ(sharing(96, 8, 2, nkm), Sharing::columns) << "six tiles for each";
  EXPECT_EQ(sharing(96, 48, 2, nkm), Sharing::columns) << "there is one tile of M";
  EXPECT_EQ(sharing(48, 48, 2, nkm), Sharing::together) << "rows do as well, and share what is packed of B";
  EXPECT_EQ(sharing(24, 64, 2, nkm), Sharing::together) << "the second tile of N is half as wide";
  EXPECT_EQ(sharing(24, 64, 2, knm), Sharing::together);
  EXPECT_EQ(sharing(24, 64, 1, nkm), Sharing::columns);
  EXPECT_EQ(sharing(24, 64, 2, nmk), Sharing::rows) << "the loop over M isn't innermost";
  EXPECT_EQ(sharing(8, 96, 2, mnk), Sharing::rows);
  EXPECT_EQ(sharing(96, 24, 2, mkn), Sharing::columns) << "there is one tile of M";
  EXPECT_EQ(sharing(96, 24, 1, kmn), Sharing::rows);
  EXPECT_DOUBLE_EQ(speedup_of(2, 96, 40), 96.0 / 56);
  EXPECT_DOUBLE_EQ(speedup_of(4, 96, 96), 1);
}

}  // namespace
}  // namespace flopcast::contract
