#include "flopcast/contract/planner/contraction_plan.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "flopcast/contract/planner/panels.hpp"
#include "flopcast/contract/planner/time_formula.hpp"
#include "tests/contract/planner/three_caches.hpp"

namespace flopcast::contract {
namespace {

TEST(Candidates, HaveOtherLoopOrdersOnlyIfAboutAsFast) {
  const auto with_other_loops = [](const std::vector<Candidate>& all) {
    return std::count_if(all.begin(), all.end(), [](const Candidate& candidate) { return has_other_loops(candidate.tiling); });
  };
  TileRates rates = assumed_tile_rates(machine());
  const Folded small = folded("ab=ai,ib", {{'a', 40}, {'b', 40}, {'i', 40}});
  EXPECT_EQ(with_other_loops(candidates(small, machine(), rates, 1)), 0) << "nothing is needed twice";
  const Folded scattered = fold(make_contraction(parse_notation("acbd=aibj,cidj"),
                                                 {{'a', 128}, {'b', 128}, {'c', 128}, {'d', 128}, {'i', 64}, {'j', 64}}, Precision::z));
  rates.packed_along = rates.packed_across = 100e-9;  // so that packing is most of it
  const std::vector<Candidate> all = candidates(scattered, machine(), rates, 1);
  EXPECT_GT(with_other_loops(all), 0);
  EXPECT_LE(with_other_loops(all), 8);
  EXPECT_TRUE(has_other_loops(all.front().tiling));
  const auto usual = std::find_if(all.begin(), all.end(), [](const Candidate& candidate) { return !has_other_loops(candidate.tiling); });
  for (const Candidate& candidate : all) {
    EXPECT_TRUE(!has_other_loops(candidate.tiling) || candidate.seconds <= 1.01 * usual->seconds) << to_string(candidate.tiling);
  }
}

TEST(Candidates, OtherLoopOrdersLeaveRoomForTheUsualOnes) {
  std::vector<Candidate> all;
  for (int i = 0; i < 8; ++i) {
    Tiling other{8, 8, 8, TileKernel::panels};
    other.order = LoopOrder::nmk;
    all.push_back({other, 1 + 0.001 * i, Basis::formula});
  }
  for (int i = 0; i < 4; ++i) {
    all.push_back({{8, 8, 8, TileKernel::panels}, 1.1 + 0.001 * i, Basis::formula});
    all.push_back({{8, 8, 8, TileKernel::gemm}, 1.2 + 0.001 * i, Basis::formula});
  }
  const auto others_among = [&](std::size_t count) {
    std::vector<Candidate> promoted = all;
    promote_each_kernel(promoted, count);
    return std::count_if(promoted.begin(), promoted.begin() + static_cast<std::ptrdiff_t>(count),
                         [](const Candidate& candidate) { return has_other_loops(candidate.tiling); });
  };
  EXPECT_EQ(others_among(8), 2);
  EXPECT_EQ(others_among(7), 1);
  EXPECT_EQ(others_among(6), 0) << "three of each kernel";
}

TEST(Candidates, StreamCOnlyWhereItOutgrowsTheCaches) {
  const auto streaming = [](const Folded& f) {
    const std::vector<Candidate> all = candidates(f, machine(), assumed_tile_rates(machine()), 1);
    return std::any_of(all.begin(), all.end(), [](const Candidate& candidate) { return candidate.tiling.stream_c; });
  };
  EXPECT_EQ(streaming(folded("ab=ai,ib", {{'a', 4096}, {'b', 4096}, {'i', 48}})), panels_stream(Precision::d));
  EXPECT_FALSE(streaming(folded("ab=ai,ib", {{'a', 256}, {'b', 256}, {'i', 48}})));
  EXPECT_EQ(streaming(folded("ab=ai,ib", {{'a', 4097}, {'b', 4096}, {'i', 48}})), panels_stream(Precision::d))
      << "columns that begin in the midst of lines have whole ones";
  EXPECT_FALSE(streaming(folded("acb=ai,icb", {{'a', 12}, {'b', 4096}, {'c', 400}, {'i', 48}}))) << "panels end with such short runs";
}

TEST(Candidates, SplitKWhereSumsAreLongAndCIsSmall) {
  const TileRates rates = assumed_tile_rates(machine());
  const auto split_is_best = [&](const char* text, const Extents& extents, int threads) {
    const Folded f = folded(text, extents);
    return candidates(f, machine(), rates, threads).front().tiling.split_k;
  };
  EXPECT_TRUE(split_is_best("ab=ija,bji", {{'a', 59}, {'b', 3}, {'i', 2000}, {'j', 500}}, 2));
  EXPECT_TRUE(split_is_best("=i,i", {{'i', 10'000'000}}, 4));
  EXPECT_TRUE(split_is_best("ab=ia,ib", {{'a', 8}, {'b', 8}, {'i', 1'000'000}}, 16));
  EXPECT_FALSE(split_is_best("ab=ija,bji", {{'a', 59}, {'b', 3}, {'i', 2000}, {'j', 500}}, 1));
  EXPECT_FALSE(split_is_best("ab=ia,ib", {{'a', 2000}, {'b', 2000}, {'i', 2000}}, 2)) << "threads share columns as well";
}

TEST(Candidates, OneCallOfGemmIsAlwaysTriedIfStridesAllowIt) {
  std::vector<Candidate> all =
      candidates(folded("ab=ai,ib", {{'a', 9000}, {'b', 9000}, {'i', 9000}}), machine(), assumed_tile_rates(machine()), 1);
  promote_each_kernel(all, 12);
  const auto found = std::find_if(all.begin(), all.end(), [](const Candidate& candidate) { return candidate.is_one_call; });
  ASSERT_LT(found - all.begin(), 2);
  EXPECT_EQ(found->tiling, (Tiling{9000, 9000, 9000}));
  all = candidates(folded("abc=bia,ic", {{'a', 90}, {'b', 90}, {'c', 90}, {'i', 90}}), machine(), assumed_tile_rates(machine()), 1);
  EXPECT_TRUE(std::none_of(all.begin(), all.end(), [](const Candidate& candidate) { return candidate.is_one_call; }));
  for (const auto& [kernel, rows] : {std::pair{TileKernel::panels, RowOrder::interleaved},
                                     {TileKernel::panels, RowOrder::a_major},
                                     {TileKernel::gemm, RowOrder::a_major}}) {
    EXPECT_TRUE(std::any_of(all.begin(), all.end(), [&, k = kernel, r = rows](const Candidate& candidate) {
      return candidate.tiling.kernel == k && candidate.tiling.rows == r;
    }));
  }
}

TEST(Candidates, KernelsTakeTurnsUnlessClearlySlower) {
  const auto order_of = [](const std::vector<std::pair<TileKernel, Seconds>>& expected) {
    std::vector<Candidate> all;
    for (const auto& [kernel, seconds] : expected) {
      all.push_back({{8, 8, 8, kernel}, seconds, Basis::formula});
    }
    promote_each_kernel(all, 12);
    std::vector<Seconds> order;
    for (const Candidate& candidate : all) {
      order.push_back(candidate.seconds);
    }
    return order;
  };
  using enum TileKernel;
  EXPECT_EQ(order_of({{gemm, 1.00}, {gemm, 1.01}, {gemm, 1.02}, {gemm, 1.03}, {panels, 1.10}, {panels, 1.20}, {streaming, 1.60}}),
            (std::vector<Seconds>{1.00, 1.10, 1.01, 1.20, 1.02, 1.60, 1.03}));
}

TEST(Candidates, CopyNoMoreOfSlidingWindowsThanTheirMemory) {
  constexpr std::int64_t windows = 20000, length = 300;
  Contraction contraction = make_contraction(parse_notation("ab=ai,ib"), {{'a', windows}, {'b', 4}, {'i', length}}, Precision::z);
  contraction.tensors[0].strides = {1, 1};
  const Folded f = fold(contraction);
  ASSERT_EQ(f.m.extent, windows);
  for (const int threads : {1, 2}) {
    const std::vector<Candidate> all = candidates(f, machine(), assumed_tile_rates(machine()), threads);
    ASSERT_FALSE(all.empty());
    for (const Candidate& candidate : all) {
      const Tiling tiling = fitted(f, candidate.tiling);
      EXPECT_LE(tiling.m * tiling.k, windows + length) << to_string(tiling);
    }
  }
}

TEST(Candidates, LeaveThreadsOutWhereStartingThemTakesLonger) {
  const auto threads_of_best = [](std::int64_t n) {
    const Folded f = folded("ab=ai,ib", {{'a', n}, {'b', n}, {'i', n}});
    return candidates(f, machine(), assumed_tile_rates(machine()), 2).front().tiling.threads;
  };
  EXPECT_EQ(threads_of_best(30), 1);
  EXPECT_EQ(threads_of_best(600), 2);
}

TEST(Candidates, HaveThreadsOnlyWhereTheySaveAFifthAndTenMicroseconds) {
  EXPECT_TRUE(are_threads_worthwhile(60e-6, 100e-6));
  EXPECT_FALSE(are_threads_worthwhile(85e-6, 100e-6));
  EXPECT_FALSE(are_threads_worthwhile(12e-6, 20e-6));
  int shared = 0;
  for (std::int64_t n = 20; n < 200; n += 5) {
    const Folded f = folded("ab=ai,ib", {{'a', n}, {'b', n}, {'i', n}});
    const Candidate best = candidates(f, machine(), assumed_tile_rates(machine()), 2).front();
    const Candidate alone = candidates(f, machine(), assumed_tile_rates(machine()), 1).front();
    EXPECT_EQ(best.tiling.threads == 2, best.seconds < alone.seconds);
    if (best.tiling.threads == 2) {
      ++shared;
      EXPECT_TRUE(are_threads_worthwhile(best.seconds, alone.seconds)) << n;
    }
  }
  EXPECT_GT(shared, 0);
}

TEST(Candidates, AreOrderedByExpectedTimeAndHaveAllKernels) {
  const Folded f = folded("abc=ai,ibc", {{'a', 200}, {'b', 200}, {'c', 200}, {'i', 8}});
  const std::vector<Candidate> all = candidates(f, machine(), assumed_tile_rates(machine()), 1);
  std::array<int, 3> of_kernel{};
  for (std::size_t i = 0; i < all.size(); ++i) {
    ++of_kernel[static_cast<std::size_t>(all[i].tiling.kernel)];
    EXPECT_LE(all[i > 0 ? i - 1 : 0].seconds, all[i].seconds);
  }
  EXPECT_GT(of_kernel[0], 0);
  EXPECT_GT(of_kernel[1], 0);
  if (can_stream(f)) {
    EXPECT_GT(of_kernel[2], 0);
    EXPECT_TRUE(all.front().tiling.kernel == TileKernel::streaming || all.front().tiling.stream_c) << "C is far larger than the caches";
  }
}

}  // namespace
}  // namespace flopcast::contract
