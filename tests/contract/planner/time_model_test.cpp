#include "flopcast/contract/planner/time_model.hpp"

#include <gtest/gtest.h>

#include <cstdint>

#include "flopcast/contract/kernels/panel_kernel.hpp"
#include "tests/contract/planner/three_caches.hpp"

namespace flopcast::contract {
namespace {

/// Products take 1 ns, everything else nothing.
const TileRates& only_products() {
  static const TileRates all = [] {
    TileRates rates;
    for (KernelRates& kernel : rates.kernels) {
      kernel.per_product = 1e-9;
    }
    return rates;
  }();
  return all;
}

/// Returns the factor by which runs of `lines` lines take longer to fetch than their bytes would: a run's start costs one and a half lines.
double starts(double lines) { return 1 + 1.5 / lines; }

constexpr Seconds of_a_thread = 8e-6;  ///< time to start one

/// Returns the number for this CPU's panel kernel, whose panels of C have 24 x 8 elements (vectors of 8), 12 x 4 (of 4) or 4 x 4 (of 2).
template <class T>
T by_vectors(T of_eight, T of_four, T of_two) {
  const std::int64_t lanes = panel_kernels<double>().front().lanes;
  return lanes == 8 ? of_eight : lanes == 4 ? of_four : of_two;
}

TEST(TimeModel, IsTheKernelsTimeInTheCaches) {
  const Folded f = folded("ab=ai,ib", {{'a', 64}, {'b', 64}, {'i', 64}});
  const TimeModel model(f, machine(), only_products());
  const ExpectedTime one_tile = model.time({64, 64, 64});
  EXPECT_DOUBLE_EQ(one_tile.first.parts().sum(), 64.0 * 64 * 64 * 1e-9);
  EXPECT_EQ(one_tile.later.parts().sum(), 0);
  const ExpectedTime four_tiles = model.time({64, 64, 16});
  EXPECT_NEAR(four_tiles.later.parts().sum(), 3 * four_tiles.first.parts().sum(), 1e-12);
  EXPECT_NEAR(four_tiles.total(), one_tile.total(), 1e-12);
}

TEST(TimeModel, TilesOfASingleColumnTakeTheTimeOfGemv) {
  TileRates rates = only_products();
  rates.gemv = {{{1e-9, 1e-9, 1e-9}, {1e-9, 2e-9, 5e-9}}};
  const auto per_product = [&](const char* text, std::int64_t rows, std::int64_t columns) {
    const Folded f = folded(text, {{'a', rows}, {'b', columns}, {'i', 4}});
    return TimeModel(f, machine(), rates).time({rows, columns, 4}).first.inside.kernel / static_cast<double>(rows * columns * 4);
  };
  EXPECT_DOUBLE_EQ(per_product("ab=ia,ib", 200, 1), 1e-9);
  EXPECT_DOUBLE_EQ(per_product("ab=ia,ib", 1024, 1), 2e-9);
  EXPECT_DOUBLE_EQ(per_product("ab=ia,ib", 1100, 1), 5e-9) << "the library switches somewhere in between";
  EXPECT_DOUBLE_EQ(per_product("ab=ia,ib", 3000, 1), 5e-9);
  EXPECT_DOUBLE_EQ(per_product("ab=ai,ib", 3000, 1), 1e-9) << "A isn't contiguous along the sums";
  EXPECT_DOUBLE_EQ(per_product("ab=ia,ib", 3000, 2), 1e-9) << "by gemm";
}

TEST(TimeModel, EmptyTensorsTakeNoTime) {
  for (const char index : {'a', 'b', 'i'}) {
    Extents extents = {{'a', 48}, {'b', 16}, {'i', 64}};
    extents[index] = 0;
    const Folded f = folded("ab=ai,ib", extents);
    EXPECT_EQ(TimeModel(f, machine(), only_products()).time({48, 16, 64, TileKernel::panels}).total(), 0) << index;
  }
}

TEST(TimeModel, ChargesLinesOfDirectColumnsThatL1Loses) {
  // 64 sets of 8 ways: lines 4096 bytes apart share a set, and panels of A go through half of it.
  const auto lost = [](std::int64_t stride) {
    const Notation notation = parse_notation("ab=ai,ib");
    const Extents extents = {{'a', 48}, {'b', 16}, {'i', 64}};
    const Folded f = fold(make_contraction(notation, extents, Precision::d, Order::column_major, {{{}, {stride, 1}, {}}}));
    const TimeModel model(f, machine(), only_products());
    const Tiling direct{48, 16, 64, TileKernel::panels};
    Tiling packed = direct;
    packed.pack_b = true;
    return model.time(direct).total() - model.time(packed).total();
  };
  // 2 x 2, 4 x 4 or 12 x 4 panels, whose columns share a line for each of 64 products; a lost line takes 1 ns
  EXPECT_NEAR(lost(512), by_vectors(256e-9, 1024e-9, 3072e-9), 1e-15);
  EXPECT_NEAR(lost(520), 0, 1e-15) << "products are 65 lines apart";
}

TEST(TimeModel, AColumnWaitsForItsSumsAndBringsAFromL2Once) {
  const auto time_of = [](std::int64_t columns, TileKernel kernel) {
    const Folded f = folded("ab=ai,ib", {{'a', 240}, {'b', columns}, {'i', 240}});
    return TimeModel(f, machine(), only_products()).time({240, columns, 240, kernel}).total();
  };
  constexpr double products = 240 * 240 * 1e-9, from_l2 = 8.0 * 240 * 240 / 50e9;
  EXPECT_NEAR(time_of(1, TileKernel::panels), 8.0 / 3 * products + from_l2, 1e-12);
  EXPECT_NEAR(time_of(2, TileKernel::panels), 8.0 / 3 * products + from_l2, 1e-12);
  EXPECT_NEAR(time_of(3, TileKernel::panels), 3 * products + from_l2, 1e-12);
  EXPECT_NEAR(time_of(8, TileKernel::panels), 8 * products, 1e-12) << "the rates of kernels include it";
  EXPECT_NEAR(time_of(1, TileKernel::gemm), products + from_l2, 1e-12);
  const Folded two_rows = folded("ab=ai,ib", {{'a', 2}, {'b', 240}, {'i', 240}});
  EXPECT_NEAR(TimeModel(two_rows, machine(), only_products()).time({2, 240, 240}).total(), 2 * products + from_l2, 1e-12);
  const Folded small = folded("ab=ai,ib", {{'a', 48}, {'b', 1}, {'i', 48}});
  EXPECT_NEAR(TimeModel(small, machine(), only_products()).time({48, 1, 48}).total(), 48 * 48 * 1e-9, 1e-12) << "all of it is in L1";
}

TEST(TimeModel, PanelsThatRunsOfCCutTakeLonger) {
  // C's runs of rows are a vector and a row long. The kernel with vectors of eight writes them in pieces. The others compute two vectors
  // for each run: 5 x 4 elements take 4 cycles, and 12 x 4 take 6; 3 x 4 elements take 4 cycles, as 4 x 4 do.
  const std::int64_t run = by_vectors(9, 5, 3);
  const Folded f = folded("abx=aix,ib", {{'a', run}, {'x', 240}, {'b', 64}, {'i', 8}});
  const Seconds found = TimeModel(f, machine(), only_products()).time({240 * run, 64, 8, TileKernel::panels}).parts().kernel;
  const double products = static_cast<double>(run) * 240 * 64 * 8;
  EXPECT_NEAR(found, products * by_vectors(1.0, 1.6, 4.0 / 3) * 1e-9, 1e-9 * found);
}

TEST(TimeModel, AFewRowsTakeLongerThanTheirPartOfAPanel) {
  // 3 x 8 elements take 4.5 cycles for nine loads where 24 x 8 take 12; 3 x 4 take 4 cycles where 12 x 4 take 6, or 4 x 4 take 4.
  const Folded few = folded("ab=ai,ib", {{'a', 3}, {'b', 64}, {'i', 8}});
  const Seconds found = TimeModel(few, machine(), only_products()).time({3, 64, 8, TileKernel::panels}).parts().kernel;
  EXPECT_NEAR(found, 3 * 64 * 8 * by_vectors(3.0, 8.0 / 3, 4.0 / 3) * 1e-9, 1e-9 * found);
}

TEST(TimeModel, PanelsWhoseRowsAreInTwoRunsOfAArePacked) {
  // C's rows follow each other, A's in runs of one and a half panels: every third panel has rows of two runs
  const std::int64_t rows = by_vectors(24, 12, 4);
  const Folded f = folded("ax=aix,i", {{'a', rows / 2 * 3}, {'x', 2}, {'i', 8}});
  TileRates rates;
  rates.packed_along = 1e-9;
  rates.packed_across = 3e-9;
  const TimeModel model(f, machine(), rates);
  EXPECT_NEAR(model.time({3 * rows, 1, 8, TileKernel::panels}).parts().a, by_vectors(384e-9, 192e-9, 64e-9), 1e-12);
}

TEST(TimeModel, CountsCallsOfTilesAndPacking) {
  TileRates rates;
  rates.kernels[0].call = 1e-6;
  rates.packed_along = 1e-9;
  rates.packed_across = 3e-9;
  const Folded direct = folded("ab=ai,ib", {{'a', 64}, {'b', 64}, {'i', 64}});
  EXPECT_NEAR(TimeModel(direct, machine(), rates).time({32, 16, 64}).total(), 8e-6, 1e-12);
  const Folded packs_a = folded("abc=aib,ic", {{'a', 8}, {'b', 8}, {'c', 64}, {'i', 64}});  // a and b are no single index of A
  EXPECT_NEAR(TimeModel(packs_a, machine(), rates).time({64, 64, 64}).total(), 1e-6 + 64 * 64 * 1e-9, 1e-12);
  EXPECT_NEAR(TimeModel(packs_a, machine(), rates).time({64, 32, 64}).total(), 2e-6 + 64 * 64 * 1e-9, 1e-12) << "A is one tile";
  EXPECT_NEAR(TimeModel(packs_a, machine(), rates).time({32, 32, 64}).total(), 4e-6 + 2 * 64 * 64 * 1e-9, 1e-12) << "once per tile of N";
}

/// 64 x 64 x 64 in the caches, of which gemm has to pack every operand.
Folded packed_everywhere() { return folded("acbd=aibj,cidj", {{'a', 8}, {'b', 8}, {'c', 8}, {'d', 8}, {'i', 8}, {'j', 8}}); }

/// Returns a tiling of 4 x 2 x 8 tiles.
Tiling tiles_in(LoopOrder order, const std::string& kept = "") {
  Tiling tiling{16, 32, 8};
  tiling.order = order;
  tiling.keep_a = kept.find('A') != std::string::npos;
  tiling.keep_b = kept.find('B') != std::string::npos;
  tiling.keep_c = kept.find('C') != std::string::npos;
  return tiling;
}

TEST(TimeModel, ChargesPackingAsOftenAsTheLoopsReachAnotherTile) {
  const Folded f = packed_everywhere();
  TileRates rates;
  rates.packed_along = rates.packed_across = 1e-9;
  const TimeModel model(f, machine(), rates);
  struct Times {
    double a, b, c;
  };
  const auto expect = [&](const Tiling& tiling, const Times& times) {
    const ExpectedTime::Parts parts = model.time(tiling).parts();
    constexpr Seconds once = 64 * 64 * 1e-9;
    EXPECT_NEAR(parts.a, times.a * once, 1e-12) << to_string(tiling);
    EXPECT_NEAR(parts.b, times.b * once, 1e-12) << to_string(tiling);
    EXPECT_NEAR(parts.c, times.c * once, 1e-12) << to_string(tiling);
  };
  constexpr double m = 4, n = 2, k = 8;
  using enum LoopOrder;
  expect(tiles_in(nkm), {n, 1, k});
  expect(tiles_in(nmk), {n, m, 1});
  expect(tiles_in(knm), {n, 1, k});
  expect(tiles_in(kmn), {1, m, k});
  expect(tiles_in(mnk), {n, m, 1});
  expect(tiles_in(mkn), {1, m, k});
  for (const LoopOrder order : all_loop_orders) {
    expect(tiles_in(order, "ABC"), {1, 1, 1});
  }
  expect(tiles_in(nkm, "A"), {1, 1, k});
  expect(tiles_in(mnk, "B"), {n, 1, 1});
  expect(tiles_in(kmn, "C"), {1, m, 1});
}

TEST(TimeModel, EveryThreadPacksDataThatItsTilesShare) {
  const Folded f = packed_everywhere();
  TileRates rates;
  rates.packed_along = rates.packed_across = 1e-9;
  const TimeModel model(f, machine(), rates);
  const auto parts_of = [&](const Tiling& tiling) { return model.time(tiling).parts(); };
  constexpr Seconds once = 64 * 64 * 1e-9;
  Tiling tiling{64, 16, 64, TileKernel::gemm, 2};  // two tiles of N for each, of M and K there is one
  EXPECT_NEAR(parts_of(tiling).a, once, 1e-12) << "both pack all of it at the same time";
  EXPECT_NEAR(parts_of(tiling).b, once / 2, 1e-12);
  tiling = {16, 64, 64, TileKernel::gemm, 2};
  tiling.order = LoopOrder::mkn;
  EXPECT_NEAR(parts_of(tiling).a, once / 2, 1e-12);
  EXPECT_NEAR(parts_of(tiling).b, once, 1e-12);
}

TEST(TimeModel, LoopOrdersDecideWhereOperandsAreReadAgainFrom) {
  // 2 MiB of A, 2 MiB of B and 32 MiB of C, which no cache holds; each tile of one dimension goes through all of the others'
  const Folded f = folded("ab=ai,ib", {{'a', 2048}, {'b', 2048}, {'i', 128}});
  const TimeModel model(f, machine(), only_products());
  const auto parts_in = [&](LoopOrder order) {
    Tiling tiling{256, 256, 64, TileKernel::panels};
    tiling.order = order;
    return model.time(tiling).parts();
  };
  constexpr double side_bytes = 8.0 * 2048 * 128, c_bytes = 8.0 * 2048 * 2048, memory = 10e9, last_cache = 20e9;
  using enum LoopOrder;
  constexpr double once = side_bytes / memory, again = 7 * side_bytes / last_cache;
  const double of_a = starts(32), of_b = starts(8);  // columns of 256 rows, of 64 products
  EXPECT_NEAR(parts_in(nkm).a, of_a * (once + again), 1e-9) << "A and 4 MiB of C are in the last cache until the next tile of N";
  EXPECT_NEAR(parts_in(nkm).b, of_b * once, 1e-9) << "the loop over M is innermost";
  EXPECT_NEAR(parts_in(nkm).c, 4 * c_bytes / memory, 1e-9) << "for each tile of K, of which there are two";
  EXPECT_NEAR(parts_in(mkn).a, of_a * once, 1e-9);
  EXPECT_NEAR(parts_in(mkn).b, of_b * (once + again), 1e-9);
  EXPECT_NEAR(parts_in(nmk).a, of_a * (once + again), 1e-9);
  EXPECT_NEAR(parts_in(nmk).c, 2 * c_bytes / memory, 1e-9) << "a tile stays inside until its sum is complete";
  EXPECT_NEAR(parts_in(nmk).b, of_b * once, 1e-9) << "a turn of the loop over M needs no more than L2 holds";
  EXPECT_GT(parts_in(knm).a, of_a * once);
}

TEST(TimeModel, KeptTilesThatOutgrowThePrivateCachesAreWrittenAndReadAgain) {
  // 2 MiB of A, packed once instead of for each of 8 tiles of N, and read again from buffers in whole lines
  const Folded f = folded("abc=iab,ic", {{'a', 32}, {'b', 64}, {'c', 2048}, {'i', 128}});
  TileRates rates = only_products();
  rates.packed_along = rates.packed_across = 1e-9;
  const TimeModel model(f, machine(), rates);
  Tiling tiling{256, 256, 128, TileKernel::panels, 1, true};
  constexpr double bytes = 8.0 * 2048 * 128, elements = 2048 * 128, last_cache = 20e9, memory = 10e9;
  const double of_a = starts(256 * 128 / 8.0);  // a tile is one run
  EXPECT_NEAR(model.time(tiling).parts().a, 8 * elements * 1e-9 + of_a * (bytes / memory + 7 * bytes / last_cache), 1e-9);
  tiling.keep_a = true;
  EXPECT_NEAR(model.time(tiling).parts().a, elements * 1e-9 + of_a * bytes / memory + 8 * bytes / last_cache, 1e-9);
}

TEST(TimeModel, AddsTransfersFromMemory) {
  const Folded f = folded("ab=ai,ib", {{'a', 4096}, {'b', 4096}, {'i', 8}});
  const TimeModel model(f, machine(), only_products());
  const double c_bytes = 8.0 * 4096 * 4096, side_bytes = 8.0 * 4096 * 8, products = 4096.0 * 4096 * 8;
  const double a_bytes = starts(8) * side_bytes, b_bytes = starts(64) * side_bytes;  // columns of 64 rows, and 64 columns of B together
  const Seconds again = 63 * a_bytes / 20e9;  // A for the other tiles of N, from the cache that it and these columns of C fit into
  EXPECT_NEAR(model.time({64, 64, 8}).total(), products * 1e-9 + (2 * c_bytes + a_bytes + b_bytes) / 10e9 + again, 1e-6)
      << "C is read before it is written";
  EXPECT_NEAR(model.time({64, 64, 8, TileKernel::streaming}).total(), products * 1e-9 + (c_bytes + a_bytes + b_bytes) / 10e9 + again, 1e-6);
  const Folded whole = folded("ab=ai,ib", {{'a', 3840}, {'b', 3840}, {'i', 8}});  // panels of every instruction set fill tiles of 96 rows
  const double bytes = 8.0 * 3840 * 8;
  EXPECT_NEAR(TimeModel(whole, machine(), only_products()).time({96, 3840, 8, TileKernel::panels}).total(),
              3840.0 * 3840 * 8 * 1e-9 + (2 * 8.0 * 3840 * 3840 + (1 + 1.5 / 12) * bytes + bytes) / 10e9, 1e-6)
      << "there is one tile of N, and a column of A has 12 lines";
}

TEST(TimeModel, StreamedCIsWrittenOnly) {
  const Folded f = folded("ab=ai,ib", {{'a', 4096}, {'b', 4096}, {'i', 8}});
  const TimeModel model(f, machine(), only_products());
  const double c_bytes = 8.0 * 4096 * 4096;
  Tiling tiling{96, 4096, 8, TileKernel::panels};
  EXPECT_NEAR(model.time(tiling).parts().c, 2 * c_bytes / 10e9, 1e-9);
  tiling.stream_c = true;
  EXPECT_NEAR(model.time(tiling).parts().c, c_bytes / 10e9, 1e-9);
  tiling.k = 4;
  EXPECT_NEAR(model.time(tiling).parts().c, 4 * c_bytes / 10e9, 1e-9) << "the second tile of K adds to C";
}

TEST(TimeModel, CountsPartlyUsedLinesOfB) {
  // B is contiguous along d, the second index of K: tiles of one or two d fetch every line of it eight or four times
  const Folded f = folded("ab=cad,dcb", {{'a', 128}, {'b', 128}, {'c', 128}, {'d', 128}});
  const TimeModel model(f, machine(), only_products());
  const double b_bytes = 8.0 * 128 * 128 * 128;
  const auto time_of = [&](std::int64_t d) { return model.time({128, 128, 128 * d, TileKernel::panels}).parts().b; };
  EXPECT_NEAR(time_of(1), 8 * starts(1) * b_bytes / 10e9, 1e-9);
  EXPECT_NEAR(time_of(2), 4 * starts(1) * b_bytes / 10e9, 1e-9);
  EXPECT_NEAR(time_of(8), starts(1) * b_bytes / 10e9, 1e-9);
  EXPECT_NEAR(time_of(32), starts(4) * b_bytes / 10e9, 1e-9);
  EXPECT_NEAR(time_of(128), starts(128 * 128 * 128 / 8.0) * b_bytes / 10e9, 1e-9) << "all of B is one run";
}

TEST(TimeModel, GivesThePartsOfTheTime) {
  const Folded f = folded("abc=aib,ic", {{'a', 48}, {'b', 8}, {'c', 640}, {'i', 64}});
  const TileRates rates = assumed_tile_rates(machine());
  const TimeModel model(f, machine(), rates);
  for (const Tiling& tiling : {Tiling{48, 64, 64}, Tiling{384, 640, 16}, Tiling{96, 64, 32, TileKernel::panels, 2}}) {
    const ExpectedTime time = model.time(tiling);
    EXPECT_NEAR((time.first + time.later).parts().sum(), time.total(), 1e-9 * time.total());
    EXPECT_GT(time.parts().kernel, 0);
  }
}

TEST(TimeModel, PartOfALargerContractionFindsItsOperandsFarAway) {
  const Folded f = folded("ab=ai,ib", {{'a', 64}, {'b', 64}, {'i', 8}});
  TimeModel model(f, machine(), only_products());
  const Seconds near = model.time({64, 64, 8}).total();
  model.set_working_set(1e9);
  EXPECT_NEAR(model.time({64, 64, 8}).total() - near, (2 * 8.0 * 64 * 64 + starts(64) * 2 * 8.0 * 64 * 8) / 10e9, 1e-12);
}

TEST(TimeModel, ThreadsShareTheBandwidthOfMemory) {
  const Folded f = folded("ab=ai,ib", {{'a', 3840}, {'b', 3840}, {'i', 8}});
  const Tiling one = {96, 96, 8, TileKernel::panels},
               two = {96, 96, 8, TileKernel::panels, 2};  // panels of every instruction set fill a tile
  TileRates rates = only_products();
  const double a_bytes = (1 + 1.5 / 12) * 8.0 * 3840 * 8,
               b_bytes = (1 + 1.5 / 96) * 8.0 * 3840 * 8;                   // columns of 12 lines, 96 lines of B together
  const Seconds products = 3840.0 * 3840 * 8 * 1e-9 + 39 * a_bytes / 20e9;  // with A again for each of the other tiles of N
  const Seconds moved = (2 * 8.0 * 3840 * 3840 + a_bytes + b_bytes) / 10e9;
  EXPECT_NEAR(TimeModel(f, machine(), rates).time(two).total(), (products + moved) / 2 + of_a_thread, 1e-6) << "there is enough for both";
  rates.bandwidth_shares = {{2, 1, 0.5}};
  TimeModel model(f, machine(), rates);
  EXPECT_NEAR(model.time(two).total(), products / 2 + moved + of_a_thread, 1e-6) << "memory is busy with one already";
  EXPECT_NEAR(model.time(one).total(), products + moved, 1e-6);
  model.set_neighbours(2);
  EXPECT_NEAR(model.time(one).total(), products + 2 * moved, 1e-6) << "what one takes for all of it while the other does the same";
}

TEST(TimeModel, ALastLevelCacheDoesNotEndAtASharpSize) {
  EXPECT_EQ(share_outside(0.3e6, 1e6), 0);
  EXPECT_NEAR(share_outside(0.65e6, 1e6), 0.5, 1e-12);
  EXPECT_EQ(share_outside(1e6, 1e6), 1);
}

TEST(TimeModel, TilesOfNReadAllOfAAgain) {
  // 12 MiB of A, in four tiles of K: each tile of N goes through all of them, so that A comes from memory again
  const Folded f = folded("ab=ai,ib", {{'a', 3072}, {'b', 128}, {'i', 512}});
  const TimeModel model(f, machine(), only_products());
  const Seconds one = model.time({96, 128, 128, TileKernel::panels}).parts().a,
                two = model.time({96, 64, 128, TileKernel::panels}).parts().a;
  EXPECT_NEAR(two, 2 * one, 0.05 * one);
}

TEST(TimeModel, ThreadsThatSplitKAddTheirSums) {
  const Folded f = folded("ab=ai,ib", {{'a', 24}, {'b', 8}, {'i', 4000}});
  TileRates rates = only_products();
  rates.packed_across = 1e-6;
  const TimeModel model(f, machine(), rates);
  Tiling tiling{24, 8, 1000, TileKernel::panels, 2};
  const Seconds alone = model.time({24, 8, 1000, TileKernel::panels, 1}).first.inside.kernel;
  tiling.split_k = true;
  EXPECT_EQ(sharing_of(f, tiling), Sharing::sums);
  EXPECT_NEAR(model.time(tiling).first.inside.kernel, alone / 2 + of_a_thread, 1e-12);
  EXPECT_NEAR(model.time(tiling).first.inside.c, 2 * 24 * 8 * 1e-6, 1e-12);
  tiling.k = 4000;
  EXPECT_NE(sharing_of(f, tiling), Sharing::sums) << "there is one tile of K";
}

TEST(TimeModel, ThreadsTakeTurnsInALibraryForOneCaller) {
  const Folded f = folded("ab=ai,ib", {{'a', 96}, {'b', 96}, {'i', 64}});
  TileRates rates = only_products();
  const auto multiplying = [&](TileKernel kernel, int threads) {
    return TimeModel(f, machine(), rates).time({96, 12, 64, kernel, threads}).first.inside.kernel;
  };
  const Seconds alone = multiplying(TileKernel::gemm, 1);
  EXPECT_NEAR(multiplying(TileKernel::gemm, 2), alone / 2 + of_a_thread, 1e-12);
  rates.gemm_takes_turns = true;
  EXPECT_NEAR(multiplying(TileKernel::gemm, 2), alone + of_a_thread, 1e-12);
  EXPECT_NEAR(multiplying(TileKernel::panels, 2), alone / 2 + of_a_thread, 1e-12) << "flopcast's own kernel";
}

TEST(TimeModel, OneThreadWaitsForTheOthersLastTile) {
  const Folded f = folded("ab=ai,ib", {{'a', 96}, {'b', 64}, {'i', 64}});
  const TimeModel model(f, machine(), only_products());
  const Seconds alone = model.time({96, 64, 64}).total();
  const auto in_threads = [&](std::int64_t rows, int threads) {
    return model.time({rows, 64, 64, TileKernel::gemm, threads}).total() - (threads - 1) * of_a_thread;
  };
  EXPECT_NEAR(in_threads(48, 2), alone / 2, 1e-12);
  EXPECT_NEAR(in_threads(32, 2), alone * 2 / 3, 1e-12) << "two tiles one after the other, while the other thread has one";
  EXPECT_NEAR(in_threads(80, 2), alone * 80 / 96, 1e-12) << "the second tile has 16 rows only";
  EXPECT_NEAR(in_threads(40, 2), alone * 56 / 96, 1e-12) << "40 rows and the last 16";
  EXPECT_NEAR(in_threads(96, 4), alone, 1e-12) << "there is one tile";
}

}  // namespace
}  // namespace flopcast::contract
