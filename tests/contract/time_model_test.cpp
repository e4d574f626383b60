#include "flopcast/contract/planner/time_model.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "flopcast/contract/planner/candidates.hpp"
#include "flopcast/contract/planner/panels.hpp"
#include "flopcast/contract/planner/tiled_contraction.hpp"
#include "tests/contract/three_caches.hpp"

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

/// Returns the factor by which runs of `lines` lines take longer to fetch than their bytes would.
double starts(double lines) { return 1 + lines_until_prefetched / lines; }

Folded folded(const char* text, const Extents& extents) { return fold(make_contraction(parse_notation(text), extents)); }

/// Returns the products of full panels that take as long as one in each of `extent` rows and columns, in tiles of `length`.
double in_panels(std::int64_t extent, std::int64_t length) {
  const PanelSize full = panel_size(Precision::d);
  return products_in_full_panels(panels_of(extent, length, full.rows), panels_of(extent, length, full.columns), full);
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
  const auto [rows, columns, lanes] = panel_size(Precision::d);
  const double panels = std::ceil(48.0 / static_cast<double>(rows)) * std::ceil(16.0 / static_cast<double>(columns));
  constexpr double lines = 64, each = 1e-9;  // a panel's columns share a line for each product
  EXPECT_NEAR(lost(512), panels * lines * each, 1e-15);
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
  // C's runs of rows are a vector and a row long. Kernels that write C in whole vectors compute two for each run.
  const PanelSize panel = panel_size(Precision::d);
  const auto time_of = [&](std::int64_t run) {
    const Folded f = folded("abx=aix,ib", {{'a', run}, {'x', 240}, {'b', 8 * panel.columns}, {'i', 8}});
    return TimeModel(f, machine(), only_products()).time({240 * run, 8 * panel.columns, 8, TileKernel::panels}).parts().kernel;
  };
  const double of_a_row = time_of(panel.rows) / static_cast<double>(panel.rows);
  const double in_short_runs = time_of(panel.lanes + 1) / static_cast<double>(panel.lanes + 1);
  if (panel_kernels<double>().front().takes_pieces) {
    EXPECT_NEAR(in_short_runs, of_a_row, 1e-9 * of_a_row);
  } else {
    EXPECT_GT(in_short_runs, 1.1 * of_a_row);
  }
}

TEST(TimeModel, AFewRowsTakeLongerThanTheirPartOfAPanel) {
  const PanelSize panel = panel_size(Precision::d);
  const Folded few = folded("ab=ai,ib", {{'a', 3}, {'b', 8 * panel.columns}, {'i', 8}});
  const Seconds of_few = TimeModel(few, machine(), only_products()).time({3, 8 * panel.columns, 8, TileKernel::panels}).parts().kernel;
  EXPECT_GT(of_few, 3.0 * 8 * static_cast<double>(8 * panel.columns) * 1e-9 * 1.1) << "three rows don't fill a panel";
}

TEST(TimeModel, PanelsWhoseRowsAreInTwoRunsOfAArePacked) {
  // C's rows follow each other, A's in runs of one and a half panels: every third panel has rows of two runs
  const std::int64_t rows = panel_size(Precision::d).rows;
  const Folded f = folded("ax=aix,i", {{'a', rows / 2 * 3}, {'x', 2}, {'i', 8}});
  TileRates rates;
  rates.packed_along = 1e-9;
  rates.packed_across = 3e-9;
  const TimeModel model(f, machine(), rates);
  EXPECT_NEAR(model.time({3 * rows, 1, 8, TileKernel::panels}).parts().a, static_cast<double>(rows) * 8 * 2e-9, 1e-12);
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

TEST(TimeModel, AddsTransfersFromMemory) {
  const Folded f = folded("ab=ai,ib", {{'a', 4096}, {'b', 4096}, {'i', 8}});
  const TimeModel model(f, machine(), only_products());
  const double c_bytes = 8.0 * 4096 * 4096, side_bytes = 8.0 * 4096 * 8, products = 4096.0 * 4096 * 8;
  const double a_bytes = starts(8) * side_bytes, b_bytes = starts(64) * side_bytes;  // columns of 64 rows, and 64 columns of B together
  const Seconds again = 63 * a_bytes / 20e9;  // A for the other tiles of N, from the cache that it and these columns of C fit into
  EXPECT_NEAR(model.time({64, 64, 8}).total(), products * 1e-9 + (2 * c_bytes + a_bytes + b_bytes) / 10e9 + again, 1e-6)
      << "C is read before it is written";
  EXPECT_NEAR(model.time({64, 64, 8, TileKernel::streaming}).total(), products * 1e-9 + (c_bytes + a_bytes + b_bytes) / 10e9 + again, 1e-6);
  EXPECT_NEAR(model.time({64, 4096, 8, TileKernel::panels}).total(),
              8 * in_panels(4096, 64) * 1e-9 + (2 * c_bytes + a_bytes + side_bytes) / 10e9, 1e-6)
      << "there is one tile of N";
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
  const Folded f = folded("ab=ai,ib", {{'a', 4096}, {'b', 4096}, {'i', 8}});
  const Tiling one = {64, 64, 8, TileKernel::panels}, two = {64, 64, 8, TileKernel::panels, 2};
  TileRates rates = only_products();
  const double a_bytes = starts(8) * 8.0 * 4096 * 8, b_bytes = starts(64) * 8.0 * 4096 * 8;
  const Seconds products = 8 * in_panels(4096, 64) * 1e-9 + 63 * a_bytes / 20e9, moved = (2 * 8.0 * 4096 * 4096 + a_bytes + b_bytes) / 10e9;
  EXPECT_NEAR(TimeModel(f, machine(), rates).time(two).total(), (products + moved) / 2 + start_of_a_thread, 1e-6)
      << "there is enough for both";
  rates.bandwidth_shares = {{2, 1, 0.5}};
  TimeModel model(f, machine(), rates);
  EXPECT_NEAR(model.time(two).total(), products / 2 + moved + start_of_a_thread, 1e-6) << "memory is busy with one already";
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

TEST(TimeModel, ThreadsThatSplitKAddTheirSums) {
  const Folded f = folded("ab=ai,ib", {{'a', 24}, {'b', 8}, {'i', 4000}});
  TileRates rates = only_products();
  rates.packed_across = 1e-6;
  const TimeModel model(f, machine(), rates);
  Tiling tiling{24, 8, 1000, TileKernel::panels, 2};
  const Seconds alone = model.time({24, 8, 1000, TileKernel::panels, 1}).first.inside.kernel;
  tiling.split_k = true;
  EXPECT_EQ(sharing_of(f, tiling), Sharing::sums);
  EXPECT_NEAR(model.time(tiling).first.inside.kernel, alone / 2 + start_of_a_thread, 1e-12);
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
  EXPECT_NEAR(multiplying(TileKernel::gemm, 2), alone / 2 + start_of_a_thread, 1e-12);
  rates.gemm_takes_turns = true;
  EXPECT_NEAR(multiplying(TileKernel::gemm, 2), alone + start_of_a_thread, 1e-12);
  EXPECT_NEAR(multiplying(TileKernel::panels, 2), alone / 2 + start_of_a_thread, 1e-12) << "flopcast's own kernel";
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

TEST(TimeModel, OneThreadWaitsForTheOthersLastTile) {
  const Folded f = folded("ab=ai,ib", {{'a', 96}, {'b', 64}, {'i', 64}});
  const TimeModel model(f, machine(), only_products());
  const Seconds alone = model.time({96, 64, 64}).total();
  const auto in_threads = [&](std::int64_t rows, int threads) {
    return model.time({rows, 64, 64, TileKernel::gemm, threads}).total() - (threads - 1) * start_of_a_thread;
  };
  EXPECT_NEAR(in_threads(48, 2), alone / 2, 1e-12);
  EXPECT_NEAR(in_threads(32, 2), alone * 2 / 3, 1e-12) << "two tiles one after the other, while the other thread has one";
  EXPECT_NEAR(in_threads(80, 2), alone * 80 / 96, 1e-12) << "the second tile has 16 rows only";
  EXPECT_NEAR(in_threads(40, 2), alone * 56 / 96, 1e-12) << "40 rows and the last 16";
  EXPECT_NEAR(in_threads(96, 4), alone, 1e-12) << "there is one tile";
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
