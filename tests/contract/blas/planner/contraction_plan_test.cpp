#include "flopcast/contract/planner/contraction_plan.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cmath>
#include <filesystem>
#include <limits>
#include <memory>
#include <optional>
#include <thread>

#include "flopcast/contract/kernels/panel_kernel.hpp"
#include "flopcast/contract/kernels/streaming.hpp"
#include "flopcast/contract/notation/element.hpp"
#include "flopcast/contract/planner/tiled_contraction.hpp"
#include "flopcast/contract/planner/time_model.hpp"
#include "flopcast/contract/planner/trial_memory.hpp"
#include "flopcast/contract/planner/wisdom.hpp"
#include "flopcast/model/artifacts.hpp"
#include "flopcast/model/store.hpp"
#include "flopcast/support/error.hpp"
#include "tests/contract/blas/openblas_machine.hpp"
#include "tests/contract/blas/random_contraction.hpp"

namespace flopcast::contract {
namespace {

/// Sizes along every index of A, B and C, in the notation's order.
struct Shapes {
  std::vector<std::int64_t> a, b, c;
};

/// Plans the contraction of dense tensors of these shapes.
ContractionPlan plan(std::string_view text, const Shapes& shapes, const Machine& machine, const PlanOptions& options = {}) {
  const SizedExpression expression = with_shapes(parse_expression(text), std::array{shapes.a, shapes.b});
  EXPECT_EQ(expression.result_shape(), shapes.c);
  return plan_contraction(make_contraction(expression, {}, options.precision, options.order), machine, options);
}

/// Compares the result of `run` with nested loops.
void expect_right(const Contraction& contraction, std::mt19937& random, std::complex<double> beta, const std::string& what,
                  const std::function<void(const Buffers&, std::byte* c, std::complex<double> alpha)>& run) {
  const Buffers buffers = random_buffers(contraction, random);
  const std::complex<double> alpha = random() % 2 == 0 ? 1.0 : -0.5;
  std::vector<std::byte> expected = buffers.c, result = buffers.c;
  contract_naively(contraction, buffers.a.data(), buffers.b.data(), expected.data(), alpha, beta);
  run(buffers, result.data(), alpha);
  ASSERT_LE(largest_difference(contraction.precision, result, expected), tolerance(contraction))
      << what << " of " << folded_key(contraction);
}

/// Writes NaN into C's elements, but not between them.
void fill_with_nan(const Contraction& contraction, std::byte* c) {
  const Folded folded = fold(contraction);
  with_element(contraction.precision, [&](auto zero) {
    using Element = decltype(zero);
    for (const std::int64_t x : folded.batch.c) {
      for (const std::int64_t i : folded.m.c) {
        for (const std::int64_t j : folded.n.c) {
          reinterpret_cast<Element*>(c)[x + i + j] = Element(std::numeric_limits<float>::quiet_NaN());
        }
      }
    }
  });
}

std::array<int, 4> random_counts(std::mt19937& random) {
  return {static_cast<int>(random() % 3), static_cast<int>(random() % 3), static_cast<int>(random() % 3), static_cast<int>(random() % 2)};
}

TEST(Plan, AgreesWithNestedLoopsOnThousandsOfContractions) {
  std::mt19937 random(3);
  for (int i = 0; i < 3000; ++i) {
    const Contraction contraction = random_contraction(random, random_counts(random), i % 10 == 0 ? 0 : 1, i % 7 == 0 ? 9 : 5, i % 3 == 0);
    PlanOptions options;
    options.threads = i % 10 == 0 ? 3 : 1;
    const ContractionPlan chosen = plan_contraction(contraction, test_machine(), options);
    const std::complex<double> beta = random() % 2 == 0 ? 0.0 : 0.75;
    expect_right(contraction, random, beta, chosen.explain(), [&](const Buffers& x, std::byte* c, std::complex<double> alpha) {
      chosen.execute(x.a.data(), x.b.data(), c, alpha, beta);
    });
  }
}

/// Returns two to four threads in every tenth case, otherwise one.
int threads_of(int i) { return i % 10 == 0 ? 2 + i / 10 % 3 : 1; }

TEST(TiledContraction, AgreesWithNestedLoopsWhateverTheTiles) {
  std::mt19937 random(4);
  for (int i = 0; i < 1500; ++i) {
    const Contraction contraction = random_contraction(random, random_counts(random), 1, 6, i % 3 == 0);
    const auto length = [&] { return static_cast<std::int64_t>(1 + random() % 9); };
    const TiledContraction tiled(fold(contraction), {length(), length(), length(), TileKernel::gemm, threads_of(i)}, test_machine().find);
    const std::complex<double> beta = random() % 2 == 0 ? 0.0 : -1.5;
    expect_right(contraction, random, beta, to_string(tiled.tiling()),
                 [&](const Buffers& x, std::byte* c, std::complex<double> alpha) { tiled.run(x.a.data(), x.b.data(), c, alpha, beta); });
  }
}

TEST(TiledContraction, AgreesWithNestedLoopsInPanels) {
  std::mt19937 random(6);
  int multiplied = 0;
  for (int i = 0; i < 3000; ++i) {
    const Contraction contraction =
        random_contraction(random, random_counts(random), i % 10 == 0 ? 0 : 1, i % 20 == 0 ? 40 : 7, i % 3 == 0);
    if (is_complex(contraction.precision) || flops(contraction) > 1e6) {
      continue;
    }
    ++multiplied;
    const auto length = [&] { return static_cast<std::int64_t>(1 + random() % 60); };
    Tiling tiling{length(), length(), length(), TileKernel::panels, threads_of(i), random() % 2 == 0, random() % 2 == 0};
    tiling.rows = static_cast<RowOrder>(random() % 3);
    const TiledContraction tiled(fold(contraction), tiling, {});
    const std::complex<double> beta = random() % 2 == 0 ? 0.0 : -1.5;
    expect_right(contraction, random, beta, to_string(tiled.tiling()),
                 [&](const Buffers& x, std::byte* c, std::complex<double> alpha) { tiled.run(x.a.data(), x.b.data(), c, alpha, beta); });
  }
  EXPECT_GT(multiplied, 1000);
}

LoopOrder random_order(std::mt19937& random) { return all_loop_orders[random() % all_loop_orders.size()]; }

/// Sets a random order of the loops and random kept operands.
Tiling with_random_loops(Tiling tiling, std::mt19937& random) {
  tiling.order = random_order(random);
  for (bool Tiling::*kept : {&Tiling::keep_a, &Tiling::keep_b, &Tiling::keep_c}) {
    tiling.*kept = random() % 2 == 0;
  }
  return tiling;
}

/// Runs a tiling and compares its result with nested loops. With beta = 0, C is filled with NaN, so that reads before writes are found.
void expect_right_in_tiles(const Contraction& contraction, const Tiling& tiling, std::complex<double> beta, std::mt19937& random) {
  const TiledContraction tiled(fold(contraction), tiling, test_machine().find);
  const std::string what = fmt::format("{} with beta {}", to_string(tiled.tiling()), beta.real());
  expect_right(contraction, random, beta, what, [&](const Buffers& x, std::byte* c, std::complex<double> alpha) {
    if (beta == 0.0) {
      fill_with_nan(contraction, c);
    }
    tiled.run(x.a.data(), x.b.data(), c, alpha, beta);
  });
}

TEST(TiledContraction, AgreesWithNestedLoopsInEveryOrder) {
  std::mt19937 random(12);
  std::array<int, 6> multiplied{};
  for (int i = 0; i < 6000; ++i) {
    const Contraction contraction =
        random_contraction(random, random_counts(random), i % 10 == 0 ? 0 : 1, i % 20 == 0 ? 40 : 7, i % 3 == 0);
    if (flops(contraction) > 1e6) {
      continue;
    }
    const bool in_panels = !is_complex(contraction.precision) && random() % 2 == 0;
    const auto length = [&] { return static_cast<std::int64_t>(1 + random() % (in_panels ? 60 : 9)); };
    Tiling tiling{length(), length(), length(), in_panels ? TileKernel::panels : TileKernel::gemm, 1 + i % 4};
    tiling.pack_a = random() % 2 == 0;
    tiling.pack_b = random() % 2 == 0;
    tiling.rows = static_cast<RowOrder>(random() % 3);
    tiling = with_random_loops(tiling, random);
    tiling.split_k = random() % 2 == 0;
    ++multiplied[static_cast<std::size_t>(tiling.order)];
    expect_right_in_tiles(contraction, tiling, random() % 2 == 0 ? 0.0 : -1.5, random);
  }
  EXPECT_THAT(multiplied, ::testing::Each(::testing::Gt(500)));
}

/// Returns a contraction of 40 x 40 x 40 in which gemm must pack each operand: the indices are nested in another order than in the folded
/// product, or none of them is contiguous.
Contraction packed_everywhere() {
  return make_contraction(parse_notation("acbd=aibj,cidj"), {{'a', 5}, {'b', 8}, {'c', 5}, {'d', 8}, {'i', 5}, {'j', 8}});
}

TEST(TiledContraction, AgreesWithNestedLoopsInEveryOrderOnEveryNumberOfThreads) {
  std::mt19937 random(13);
  for (const LoopOrder order : all_loop_orders) {
    for (const TileKernel kernel : {TileKernel::gemm, TileKernel::panels}) {
      for (const int kept : {0, 1, 2, 4, 7}) {
        for (const int threads : {1, 2, 3}) {
          for (const auto& [m, n, k] :
               {std::array{10, 10, 10}, {20, 2, 20}, {2, 20, 20}, {20, 20, 2}, {40, 10, 10}, {10, 40, 10}, {10, 10, 40}, {40, 40, 10}}) {
            Tiling tiling{m, n, k, kernel, threads, true, true};
            tiling.order = order;
            tiling.keep_a = (kept & 1) != 0;
            tiling.keep_b = (kept & 2) != 0;
            tiling.keep_c = (kept & 4) != 0;
            expect_right_in_tiles(packed_everywhere(), tiling, kept == 0 ? 0.0 : 0.75, random);
          }
        }
      }
    }
  }
}

TEST(TiledContraction, SplitsSumsBetweenThreads) {
  std::mt19937 random(15);
  for (const Precision precision : {Precision::s, Precision::d, Precision::c, Precision::z}) {
    for (const char* text : {"ab=aij,ijb", "ba=iaj,jbi", "ab=aij,jbi", "cab=acij,cjbi", "=cij,jic", "a=aij,ji", "bca=ija,cjbi"}) {
      const Contraction contraction =
          make_contraction(parse_notation(text), {{'a', 11}, {'b', 3}, {'c', 2}, {'i', 7}, {'j', 13}}, precision);
      for (const char* tiles : {"8x2x10", "11x3x46", "8x3x9:gemm:knm", "8x8x20:panels", "8x2x9:panels:mkn:keepAB", "99x99x91"}) {
        for (const int threads : {2, 3, 4, 20}) {
          const std::string split = std::string(tiles) + (std::string(tiles).find(':') == std::string::npos ? ":gemm:splitK" : ":splitK");
          const Tiling tiling = parse_tiles(split, threads);
          if (tiling.kernel == TileKernel::panels && is_complex(precision)) {
            continue;
          }
          for (const double beta : {0.0, 0.75}) {
            expect_right_in_tiles(contraction, tiling, beta, random);
          }
        }
      }
    }
  }
}

TEST(TiledContraction, RepeatsSplitSumsExactly) {
  std::mt19937 random(16);
  const Contraction contraction = make_contraction(parse_notation("ab=aij,ijb"), {{'a', 9}, {'b', 5}, {'i', 70}, {'j', 30}});
  const TiledContraction tiled(fold(contraction), parse_tiles("9x5x64:panels:splitK", 4), test_machine().find);
  EXPECT_TRUE(tiled.tiling().split_k);
  const Buffers buffers = random_buffers(contraction, random);
  const auto result = [&] {
    std::vector<std::byte> c = buffers.c;
    tiled.run(buffers.a.data(), buffers.b.data(), c.data(), 1.0, 0.5);
    return c;
  };
  const std::vector<std::byte> first = result();
  for (int i = 0; i < 50; ++i) {
    EXPECT_EQ(result(), first) << "which thread takes a part must not matter";
  }
}

TEST(TiledContraction, SplitsOnlySumsThatThreadsCanShare) {
  const auto splits = [](const char* tiles, int threads) {
    return TiledContraction(fold(packed_everywhere()), parse_tiles(tiles, threads), test_machine().find).tiling().split_k;
  };
  EXPECT_TRUE(splits("40x40x20:gemm:splitK", 2));
  EXPECT_FALSE(splits("40x40x20:gemm:splitK", 1));
  EXPECT_FALSE(splits("40x40x40:gemm:splitK", 2)) << "one tile of K";
}

/// Returns the tile moves of a tiling of 4 x 5 x 2 tiles for a product that packs every operand.
TileMoves moves_of(LoopOrder order, const std::string& kept, TileKernel kernel = TileKernel::gemm) {
  std::mt19937 random(14);
  const Contraction contraction = packed_everywhere();
  Tiling tiling{10, 8, 20, kernel, 1, true, true};
  tiling.order = order;
  tiling.keep_a = kept.find('A') != std::string::npos;
  tiling.keep_b = kept.find('B') != std::string::npos;
  tiling.keep_c = kept.find('C') != std::string::npos;
  const TiledContraction tiled(fold(contraction), tiling, test_machine().find);
  EXPECT_EQ(tiled.packed(), kernel == TileKernel::panels ? "AB" : "ABC") << "panels write runs of C in place";
  const Buffers buffers = random_buffers(contraction, random);
  std::vector<std::byte> c = buffers.c;
  TileMoves moves;
  tiled.run_timed(buffers.a.data(), buffers.b.data(), c.data(), 1.0, 0.5, machine::WallClock(1e-3), &moves);
  return moves;
}

TEST(TiledContraction, PacksWhenTheLoopsReachAnotherTileAndWritesSumsOnce) {
  constexpr std::int64_t m = 4, n = 5, k = 2, all = m * n * k;
  using enum LoopOrder;
  EXPECT_EQ(moves_of(nkm, ""), (TileMoves{all, n * k, all}));
  EXPECT_EQ(moves_of(nmk, ""), (TileMoves{all, all, n * m})) << "C is written once";
  EXPECT_EQ(moves_of(knm, ""), (TileMoves{all, k * n, all}));
  EXPECT_EQ(moves_of(kmn, ""), (TileMoves{k * m, all, all}));
  EXPECT_EQ(moves_of(mnk, ""), (TileMoves{all, all, n * m}));
  EXPECT_EQ(moves_of(mkn, ""), (TileMoves{m * k, all, all}));
}

TEST(TiledContraction, PacksTilesThatAreKeptOnce) {
  constexpr std::int64_t m = 4, n = 5, k = 2;
  for (const LoopOrder order : all_loop_orders) {
    EXPECT_EQ(moves_of(order, "ABC"), (TileMoves{m * k, k * n, m * n})) << to_string(order);
    const TileMoves in_panels = moves_of(order, "AB", TileKernel::panels);
    EXPECT_EQ(in_panels, (TileMoves{m * k, k * n, 0})) << to_string(order);
  }
  EXPECT_EQ(moves_of(LoopOrder::nkm, "A").b, k * n);
  EXPECT_EQ(moves_of(LoopOrder::nkm, "A").c, m * n * k);
}

TEST(TiledContraction, KeepsAllTilesInsideOfTheLoopThatDoesNotMoveThem) {
  const auto workspace = [](LoopOrder order, bool Tiling::*kept) {
    Tiling tiling{10, 8, 20};
    tiling.order = order;
    tiling.*kept = true;
    return TiledContraction(fold(packed_everywhere()), tiling, test_machine().find).workspace_bytes();
  };
  constexpr std::int64_t a = 10 * 20 * 8, b = 20 * 8 * 8, c = 10 * 8 * 8, one_each = a + b + c;  // in bytes; all are whole lines
  using enum LoopOrder;
  EXPECT_EQ(workspace(nkm, &Tiling::keep_a), one_each + (4 * 2 - 1) * a) << "M and K inside of N";
  EXPECT_EQ(workspace(knm, &Tiling::keep_a), one_each + (4 - 1) * a) << "M inside of N";
  EXPECT_EQ(workspace(mkn, &Tiling::keep_a), one_each) << "N is innermost";
  EXPECT_EQ(workspace(nkm, &Tiling::keep_b), one_each) << "M is innermost";
  EXPECT_EQ(workspace(nmk, &Tiling::keep_b), one_each + (2 - 1) * b) << "K inside of M";
  EXPECT_EQ(workspace(mnk, &Tiling::keep_b), one_each + (5 * 2 - 1) * b) << "N and K inside of M";
  EXPECT_EQ(workspace(nkm, &Tiling::keep_c), one_each + (4 - 1) * c) << "M inside of K";
  EXPECT_EQ(workspace(mnk, &Tiling::keep_c), one_each) << "K is innermost";
  EXPECT_EQ(workspace(kmn, &Tiling::keep_c), one_each + (4 * 5 - 1) * c) << "M and N inside of K";
}

TEST(TiledContraction, AgreesWithNestedLoopsAlongTheBatch) {
  std::mt19937 random(8);
  int contiguous = 0;
  for (int i = 0; i < 2000; ++i) {
    const auto up_to = [&](unsigned most) { return static_cast<int>(random() % (most + 1)); };
    const std::array<int, 4> counts = {up_to(1), up_to(1), up_to(1), 1 + up_to(1)};
    const Contraction contraction = random_contraction(random, counts, i % 10 == 0 ? 0 : 1, 21, i % 3 == 0);
    if (flops(contraction) > 1e6) {
      continue;
    }
    const Folded folded = fold(contraction);
    contiguous += batch_run(folded).is_contiguous() && folded.batch.extent > 16 && !is_complex(contraction.precision) ? 1 : 0;
    Tiling tiling{1, 1, 1, TileKernel::batch, threads_of(i)};
    const TiledContraction tiled(folded, tiling, {});
    EXPECT_EQ(tiled.workspace_bytes(), 0);
    const std::complex<double> beta = random() % 2 == 0 ? 0.0 : -1.5;
    expect_right(contraction, random, beta, to_string(tiled.tiling()),
                 [&](const Buffers& x, std::byte* c, std::complex<double> alpha) { tiled.run(x.a.data(), x.b.data(), c, alpha, beta); });
  }
  EXPECT_GT(contiguous, 20);
}

/// Returns the source of the time of the batch candidate, or nothing if there is no such candidate.
std::optional<Basis> basis_along_batch(const ContractionPlan& plan) {
  const auto found = std::find_if(plan.considered().begin(), plan.considered().end(),
                                  [](const Candidate& candidate) { return candidate.tiling.kernel == TileKernel::batch; });
  return found == plan.considered().end() ? std::nullopt : std::optional(found->basis);
}

TEST(Plan, TriesTheBatchKernelWhereProductsAreSmall) {
  PlanOptions options;
  const Shapes small{{100, 100}, {100, 100}, {100, 100}};
  options.effort = Effort::estimate;
  EXPECT_EQ(plan("ab,ab->ab", small, test_machine(), options).considered().front().tiling.kernel, TileKernel::batch);
  options.effort = Effort::microbench;
  EXPECT_EQ(basis_along_batch(plan("ab,ab->ab", small, test_machine(), options)), Basis::benchmark);
  options.effort = Effort::measure;
  EXPECT_EQ(basis_along_batch(plan("ab,ab->ab", small, test_machine(), options)), Basis::execution);
  options.effort = Effort::estimate;
  EXPECT_EQ(basis_along_batch(plan("bik,bkj->bij", {{2, 60, 60}, {2, 60, 60}, {2, 60, 60}}, test_machine(), options)), std::nullopt);
}

TEST(TiledContraction, StreamsCInPanelsWhereItOverwritesWholeLines) {
  std::mt19937 random(12);
  for (const Precision precision : {Precision::s, Precision::d}) {
    for (const char* text : {"abc=bia,ic", "ab=ai,ib", "acb=abi,ic"}) {
      const Contraction contraction = make_contraction(parse_notation(text), {{'a', 96}, {'b', 20}, {'c', 33}, {'i', 14}}, precision);
      for (const RowOrder rows : {RowOrder::as_c, RowOrder::interleaved}) {
        for (const auto& [k, beta] : {std::pair<std::int64_t, double>{14, 0.0}, {14, 0.75}, {5, 0.0}}) {
          for (const int threads : {1, 2}) {
            Tiling tiling{96 * 5, 24, k, TileKernel::panels, threads};
            tiling.rows = rows;
            tiling.stream_c = true;
            const TiledContraction tiled(fold(contraction), tiling, test_machine().find);
            EXPECT_EQ(tiled.tiling().stream_c, panels_stream(precision) && k == 14) << "sums of several tiles must read C";
            const Buffers buffers = random_buffers(contraction, random);
            std::vector<std::byte> expected = buffers.c, result = buffers.c;
            contract_naively(contraction, buffers.a.data(), buffers.b.data(), expected.data(), -0.5, beta);
            tiled.run(buffers.a.data(), buffers.b.data(), result.data(), -0.5, beta);
            EXPECT_LE(largest_difference(precision, result, expected), tolerance(contraction)) << text << to_string(tiled.tiling());
            for (const std::int64_t before : {1, 2, 7}) {  // elements before C, which may begin anywhere in a line
              std::vector<std::byte> shifted(result.size() + static_cast<std::size_t>(before * element_bytes(precision)));
              std::byte* const c = shifted.data() + before * element_bytes(precision);
              std::copy(buffers.c.begin(), buffers.c.end(), c);
              tiled.run(buffers.a.data(), buffers.b.data(), c, -0.5, beta);
              EXPECT_TRUE(std::equal(result.begin(), result.end(), c)) << text << to_string(tiled.tiling());
            }
          }
        }
      }
    }
  }
}

TEST(TiledContraction, SharesALongBatchInParts) {
  // 100 x 3 products of 12 x 12 x 12. L2 holds 64 of them, so that a run has two parts; the two batch indices are apart in B.
  std::mt19937 random(10);
  for (const int threads : {1, 3}) {
    const Contraction contraction =
        make_contraction(parse_notation("xijy=xiky,xykj"), {{'x', 100}, {'y', 3}, {'i', 12}, {'j', 12}, {'k', 12}});
    const TiledContraction tiled(fold(contraction), {1, 1, 1, TileKernel::batch, threads}, {});
    expect_right(contraction, random, 0.5, to_string(tiled.tiling()),
                 [&](const Buffers& x, std::byte* c, std::complex<double> alpha) { tiled.run(x.a.data(), x.b.data(), c, alpha, 0.5); });
  }
}

TEST(TiledContraction, SumsToOneNumberForAnyLayoutOfOperands) {
  std::mt19937 random(11);
  for (const char* text : {"=i,i", "=ia,ia", "=ai,ia", "=ab,ab", "=ab,ba"}) {
    for (const Precision precision : {Precision::s, Precision::d, Precision::c, Precision::z}) {
      const Contraction contraction = make_contraction(parse_notation(text), {{'i', 300}, {'a', 1}, {'b', 37}}, precision);
      const TiledContraction tiled(fold(contraction), {1, 1, 1000}, test_machine().find);
      for (const double beta : {0.0, 0.5}) {
        expect_right(contraction, random, beta, text, [&](const Buffers& x, std::byte* c, std::complex<double> alpha) {
          tiled.run(x.a.data(), x.b.data(), c, alpha, beta);
        });
      }
    }
  }
}

TEST(Plan, TakesOneThreadIfStartingManyCostsMore) {
  for (const int threads : {100, 200, 1000}) {
    PlanOptions options;
    options.threads = threads;
    options.effort = Effort::estimate;
    EXPECT_EQ(plan("ac,cb->ab", {{64, 64}, {64, 64}, {64, 64}}, test_machine(), options).considered().front().tiling.threads, 1) << threads;
  }
}

TEST(TiledContraction, RefusesALibraryThatMultipliesWrong) {
  const FindRoutine wrong = [](std::string_view) { return reinterpret_cast<kernel::Function>(+[] {}); };
  const Contraction contraction = make_contraction(parse_notation("ab=ai,ib"), {{'a', 3}, {'b', 4}, {'i', 4}});
  EXPECT_THROW(TiledContraction(fold(contraction), {3, 4, 4}, wrong), Error);
}

TEST(TiledContraction, RefusesToStreamUnsuitableTiles) {
  const auto tiled = [](const char* text, const Extents& extents, Precision precision, const Tiling& tiling) {
    return TiledContraction(fold(make_contraction(parse_notation(text), extents, precision)), tiling, test_machine().find);
  };
  const Tiling whole{100, 100, 100, TileKernel::streaming};
  if (can_stream()) {
    EXPECT_NO_THROW(tiled("ab=ai,ib", {{'a', 9}, {'b', 9}, {'i', 9}}, Precision::d, whole));
  }
  EXPECT_THROW(tiled("ab=ai,ib", {{'a', 9}, {'b', 9}, {'i', 9}}, Precision::s, whole), Error);
  EXPECT_THROW(tiled("ab=ai,ib", {{'a', 9}, {'b', 9}, {'i', 33}}, Precision::d, whole), Error);
  EXPECT_THROW(tiled("ab=ai,ib", {{'a', 9}, {'b', 9}, {'i', 9}}, Precision::d, {9, 9, 4, TileKernel::streaming}), Error);
  EXPECT_THROW(tiled("acb=abi,ic", {{'a', 9}, {'b', 9}, {'c', 9}, {'i', 9}}, Precision::d, whole), Error)
      << "a and b aren't one index of C";
}

TEST(Plan, ExplainsThePartsOfTheTime) {
  Machine machine = test_machine();
  machine.rates.emplace();
  for (KernelRates& kernel : machine.rates->kernels) {
    kernel.per_product = 1e-9;
  }
  PlanOptions options;
  options.effort = Effort::estimate;
  const ContractionPlan chosen = plan("ai,ib->ab", {{20, 20}, {20, 20}, {20, 20}}, machine, options);
  EXPECT_THAT(chosen.explain(), ::testing::HasSubstr("multiplying 100.0 %, A 0.0 %, B 0.0 %, C 0.0 %"));
}

TEST(Plan, ExplainsProductsOfOneTensorAndNamesTheTiles) {
  PlanOptions options;
  options.order = Order::column_major;
  const ContractionPlan chosen = plan("ai,bi->ab", {{400, 200}, {400, 200}, {400, 400}}, test_machine(), options);
  EXPECT_THAT(chosen.explain(), ::testing::HasSubstr("where A and B are one tensor: "));
  EXPECT_THAT(plan("ai,ib->ab", {{400, 200}, {200, 400}, {400, 400}}, test_machine(), options).explain(),
              ::testing::Not(::testing::HasSubstr("one tensor")));
  for (const Candidate& candidate : chosen.considered()) {
    EXPECT_LE(candidate.tiling.m, 400);
    EXPECT_LE(candidate.tiling.n, 400);
    EXPECT_LE(candidate.tiling.k, 200);
  }
}

TEST(Plan, RefusesInvalidOptions) {
  const auto with = [](auto change) {
    PlanOptions options;
    change(options);
    return plan("ij,jk->ik", {{4, 4}, {4, 4}, {4, 4}}, test_machine(), options);
  };
  EXPECT_NO_THROW(with([](PlanOptions& options) { options.time_budget = 0; }));
  EXPECT_THROW(with([](PlanOptions& options) { options.time_budget = -1; }), Error);
  EXPECT_THROW(with([](PlanOptions& options) { options.time_budget = std::nan(""); }), Error);
  EXPECT_THROW(with([](PlanOptions& options) { options.threads = 0; }), Error);
  EXPECT_THROW(with([](PlanOptions& options) { options.max_measured = 0; }), Error);
}

TEST(Plan, TakesTilesThatItIsGiven) {
  PlanOptions options;
  options.order = Order::column_major;
  options.tiles = Tiling{3, 4, 5, TileKernel::panels};
  const ContractionPlan chosen = plan("ij,jk->ik", {{30, 20}, {20, 25}, {30, 25}}, test_machine(), options);
  EXPECT_THAT(chosen.explain(), ::testing::HasSubstr("3 x 4 x 5 in panels"));
  const std::vector<double> a(600, 1.0), b(500, 2.0);
  std::vector<double> c(750);
  chosen.execute(a.data(), b.data(), c.data());
  EXPECT_EQ(c, std::vector<double>(750, 40.0));
}

/// Lets a plan compute C with A and B in the same tensor, and compares the result with nested loops.
void expect_equal_of_one(const Contraction& contraction, std::complex<double> beta, std::mt19937& random) {
  const Buffers buffers = random_buffers(contraction, random);
  std::vector<std::byte> expected = buffers.c, result = buffers.c;
  const std::complex<double> alpha = -0.5;
  contract_naively(contraction, buffers.a.data(), buffers.a.data(), expected.data(), alpha, beta);
  plan_contraction(contraction, test_machine()).execute(buffers.a.data(), buffers.a.data(), result.data(), alpha, beta);
  EXPECT_LE(largest_difference(contraction.precision, result, expected), tolerance(contraction)) << folded_key(contraction);
}

TEST(Plan, ComputesHalfOfASymmetricResult) {
  std::mt19937 random(8);
  for (const Precision precision : {Precision::s, Precision::d, Precision::z}) {
    for (const char* text : {"ab=ai,bi", "ab=ia,ib", "xab=xai,xbi", "abcd=abi,cdi"}) {
      const Contraction contraction =
          make_contraction(parse_notation(text), {{'a', 200}, {'b', 200}, {'c', 20}, {'d', 10}, {'i', 33}, {'x', 2}}, precision);
      if (std::string(text) == "abcd=abi,cdi") {
        expect_equal_of_one(make_contraction(parse_notation(text), {{'a', 20}, {'b', 10}, {'c', 20}, {'d', 10}, {'i', 33}}, precision), 0.0,
                            random);
        continue;
      }
      expect_equal_of_one(contraction, 0.0, random);
      expect_equal_of_one(contraction, 0.75, random);
    }
  }
}

TEST(TiledContraction, MirrorsASymmetricResult) {
  std::mt19937 random(9);
  const Contraction contraction = make_contraction(parse_notation("abxy=iax,iby"), {{'a', 7}, {'b', 7}, {'x', 5}, {'y', 5}, {'i', 6}});
  for (const TileKernel kernel : {TileKernel::gemm, TileKernel::panels}) {
    for (const std::int64_t m : {3, 8, 35}) {
      for (const std::int64_t n : {1, 5, 35}) {
        for (const LoopOrder order : all_loop_orders) {
          Tiling tiling{m, n, 4, kernel, 2, false, false, true};
          tiling.order = order;
          const TiledContraction tiled(fold(contraction), tiling, test_machine().find);
          const Buffers buffers = random_buffers(contraction, random);
          std::vector<std::byte> expected = buffers.c, result = buffers.c;
          contract_naively(contraction, buffers.a.data(), buffers.a.data(), expected.data());
          tiled.run(buffers.a.data(), buffers.a.data(), result.data(), 1.0, 0.0);
          EXPECT_LE(largest_difference(contraction.precision, result, expected), tolerance(contraction)) << to_string(tiled.tiling());
        }
      }
    }
  }
  const Contraction other = make_contraction(parse_notation("ab=ai,ib"), {{'a', 7}, {'b', 7}, {'i', 6}});
  EXPECT_THROW(TiledContraction(fold(other), {7, 7, 6, TileKernel::gemm, 1, false, false, true}, test_machine().find), Error);
}

TEST(Plan, ChoosesByMicroBenchmarks) {
  PlanOptions options;
  options.effort = Effort::microbench;
  std::mt19937 random(7);
  for (const char* text : {"abc=ai,ibc", "abc=bda,dc", "ab=xai,ibx", "abx=xai,ibx"}) {
    Extents extents;
    for (const char index : std::string("abcdix")) {
      extents[index] = 20 + static_cast<std::int64_t>(random() % 30);
    }
    const std::string name = text;
    if (name == "ab=xai,ibx") {
      extents['x'] = 1;
    }
    const Contraction contraction = make_contraction(parse_notation(text), extents);
    const ContractionPlan chosen = plan_contraction(contraction, test_machine(), options);
    EXPECT_THAT(chosen.explain(), ::testing::HasSubstr("predicted"));
    EXPECT_GT(chosen.seconds(), 0);
    expect_right(contraction, random, 0.0, chosen.explain(), [&](const Buffers& x, std::byte* c, std::complex<double> alpha) {
      chosen.execute(x.a.data(), x.b.data(), c, alpha, 0.0);
    });
  }
}

TEST(Plan, SamplesCandidatesThatOutlastTheBudget) {
  PlanOptions options;
  options.effort = Effort::measure;
  options.time_budget = 0;
  const ContractionPlan made = plan("ai,ibc->abc", {{100, 64}, {64, 30, 40}, {100, 30, 40}}, test_machine(), options);
  ASSERT_GT(made.considered().size(), 2U);
  EXPECT_EQ(made.considered()[0].basis, Basis::execution);
  EXPECT_EQ(made.considered()[1].basis, Basis::benchmark);
  options.time_budget = 1000;
  options.cancelled = [calls = 0]() mutable { return ++calls >= 30; };  // without this limit the measurement would take long
  for (const Candidate& candidate : plan("ai,ibc->abc", {{100, 64}, {64, 30, 40}, {100, 30, 40}}, test_machine(), options).considered()) {
    EXPECT_NE(candidate.basis, Basis::benchmark);
  }
}

TEST(TiledContraction, MultipliesPanelsOfRealNumbersOnly) {
  const Contraction contraction = make_contraction(parse_notation("ab=ai,ib"), {{'a', 3}, {'b', 4}, {'i', 4}}, Precision::z);
  EXPECT_THROW(TiledContraction(fold(contraction), {3, 4, 4, TileKernel::panels}, test_machine().find), Error);
}

TEST(TiledContraction, AgreesWithNestedLoopsWhereItStreams) {
  if (!can_stream()) {
    GTEST_SKIP() << "this CPU lacks AVX2 or FMA";
  }
  std::mt19937 random(5);
  int streamed = 0;
  for (const char* text : {"abc=ai,ibc", "abc=ai,bci", "acb=ia,ibc", "abc=ija,jbic", "ba=ai,ib"}) {
    for (int i = 0; i < 10; ++i) {
      Extents extents;
      for (const char index : std::string("abcij")) {
        extents[index] = 1 + static_cast<std::int64_t>(random() % (index < 'i' ? 70 : 5));
      }
      const Contraction contraction = make_contraction(parse_notation(text), extents);
      const Folded folded = fold(contraction);
      const Environment environment;
      const TileRates rates;
      const TimeModel model(folded, environment, rates);
      constexpr std::int64_t n = 20;
      for (const std::int64_t m : {std::int64_t{13}, std::int64_t{32}, folded.m.extent}) {
        if (!can_stream(folded) || !model.is_regular(folded.m.c, m) || !model.is_regular(folded.n.c, n)) {
          continue;
        }
        ++streamed;
        Tiling tiling{m, n, longest_streamed_sum, TileKernel::streaming, threads_of(10 * i)};
        tiling = with_random_loops(tiling, random);
        const TiledContraction tiled(folded, tiling, test_machine().find);
        expect_right(contraction, random, 0.0, to_string(tiling),
                     [&](const Buffers& x, std::byte* c, std::complex<double> alpha) { tiled.run(x.a.data(), x.b.data(), c, alpha, 0.0); });
      }
    }
  }
  EXPECT_GT(streamed, 100);
}

/// A test with its own store, and options that use the store.
class PlanWithWisdom : public ::testing::Test {
 protected:
  PlanWithWisdom() {
    std::string pattern = (std::filesystem::temp_directory_path() / "flopcast_plan_test.XXXXXX").string();
    folder_ = ::mkdtemp(pattern.data());
    store_.emplace(model::Store::open(folder_ / "store.db"));
    options_.effort = Effort::measure;
    options_.time_budget = 0.05;
    options_.wisdom = &*store_;
  }
  ~PlanWithWisdom() override {
    store_.reset();
    std::filesystem::remove_all(folder_);
  }
  ContractionPlan make(std::string_view text = "ai,ibc->abc") const {
    return plan(text, {{40, 8}, {8, 30, 20}, {40, 30, 20}}, test_machine(), options_);
  }
  [[nodiscard]] bool is_known() const { return make().explain().find("measured before") != std::string::npos; }

  std::filesystem::path folder_;
  std::optional<model::Store> store_;
  PlanOptions options_;
};

TEST_F(PlanWithWisdom, MeasuresAndRemembers) {
  const ContractionPlan first = make();
  EXPECT_THAT(first.explain(), ::testing::HasSubstr("measured "));
  EXPECT_THAT(first.explain(), ::testing::Not(::testing::HasSubstr("before")));
  EXPECT_EQ(make().seconds(), first.seconds());
  EXPECT_THAT(make("xk,kyz->xyz").explain(), ::testing::HasSubstr("measured before")) << "other names of the indices";
}

TEST_F(PlanWithWisdom, RemembersEveryKernelAndOrder) {
  const Contraction contraction = make_contraction(parse_notation("ab=ai,ib"), {{'a', 5}, {'b', 4}, {'i', 3}});
  for (const TileKernel kernel : {TileKernel::gemm, TileKernel::panels, TileKernel::streaming, TileKernel::batch}) {
    for (const RowOrder rows : all_row_orders) {
      for (const LoopOrder order : all_loop_orders) {
        const bool is_inner = order == LoopOrder::nmk;
        const Candidate kept{
            {1, 2, 3, kernel, 4, true, false, false, rows, order, is_inner, !is_inner, is_inner, !is_inner}, 1e-3, Basis::execution};
        keep_wisdom(contraction, test_machine(), options_, kept);
        const std::optional<Candidate> found = find_wisdom(contraction, test_machine(), options_);
        ASSERT_TRUE(found.has_value());
        EXPECT_EQ(found->tiling, kept.tiling) << to_string(kept.tiling);
      }
    }
  }
}

TEST_F(PlanWithWisdom, RemembersForTheSameThreadsEffortAndBudgetOnly) {
  make();
  EXPECT_TRUE(is_known());
  const PlanOptions same = options_;
  options_.threads = 2;
  EXPECT_FALSE(is_known());
  options_ = same;
  options_.time_budget = 0.06;
  EXPECT_FALSE(is_known());
  options_ = same;
  options_.max_measured = 3;
  EXPECT_FALSE(is_known());
  options_ = same;
  options_.effort = Effort::estimate;
  EXPECT_FALSE(is_known());
  options_ = same;
  options_.fresh = true;
  EXPECT_FALSE(is_known());
}

TEST_F(PlanWithWisdom, DoesNotKeepAnInterruptedChoice) {
  int asked = 0;
  options_.cancelled = [&] { return ++asked >= 3; };
  const ContractionPlan chosen = make();
  EXPECT_EQ(asked, 3);
  EXPECT_THAT(chosen.explain(), ::testing::HasSubstr("measured")) << "two candidates were executed";
  options_.cancelled = [] { return false; };
  EXPECT_FALSE(is_known());
}

/// The most executions until an incremental choice is made for one treatment of C.
constexpr int most_executions = 80;

/// Trials by a clock without a machine: every execution takes as long as every other.
std::shared_ptr<TrialMemory> even_trials() {
  return std::make_shared<TrialMemory>([now = std::make_shared<std::atomic<int>>(0)] { return static_cast<Seconds>(++*now); });
}

TEST(IncrementalPlan, ComputesTheRightResultInEveryExecution) {
  std::mt19937 random(21);
  int tried = 0;
  for (int i = 0; i < 30; ++i) {
    const Contraction contraction = random_contraction(random, random_counts(random), i % 10 == 0 ? 0 : 1, i % 7 == 0 ? 20 : 9, i % 3 == 0);
    if (flops(contraction) > 1e5) {
      continue;
    }
    PlanOptions options;
    options.effort = Effort::incremental;
    options.threads = i % 5 == 0 ? 2 : 1;
    options.trials = even_trials();
    const ContractionPlan chosen = plan_contraction(contraction, test_machine(), options);
    for (int execution = 0; execution < 2 * most_executions && (execution < 4 || !chosen.is_decided()); ++execution) {
      const std::complex<double> beta = execution % 2 == 0 ? 0.0 : 0.75;
      expect_right(contraction, random, beta, chosen.explain(), [&](const Buffers& x, std::byte* c, std::complex<double> alpha) {
        if (beta == 0.0) {
          fill_with_nan(contraction, c);
        }
        chosen.execute(x.a.data(), x.b.data(), c, alpha, beta);
      });
      ++tried;
    }
    EXPECT_TRUE(chosen.is_decided()) << chosen.explain();
    expect_right(contraction, random, -0.5, chosen.explain(), [&](const Buffers& x, std::byte* c, std::complex<double> alpha) {
      chosen.execute(x.a.data(), x.b.data(), c, alpha, -0.5);
    });
  }
  EXPECT_GT(tried, 500);
}

/// Executes a plan of "ai,ibc->abc" for shapes {40, 8} and {8, 30, 20} on ones.
void execute_on_ones(const ContractionPlan& plan, double beta = 0) {
  const std::vector<double> a(320, 1.0), b(4800, 1.0);
  std::vector<double> c(24000, 1.0);
  plan.execute(a.data(), b.data(), c.data(), 1.0, beta);
  EXPECT_EQ(c, std::vector<double>(24000, 8 + beta));
}

/// Executes a plan until its choice is made. Returns the number of executions.
int execute_until_decided(const ContractionPlan& plan, double beta = 0) {
  int executions = 0;
  while (executions == 0 || (executions < 2 * most_executions && !plan.is_decided())) {
    execute_on_ones(plan, beta);
    ++executions;
  }
  EXPECT_TRUE(plan.is_decided()) << plan.explain();
  return executions;
}

TEST_F(PlanWithWisdom, IncrementalPlansKeepTheirDecisionOnce) {
  options_.effort = Effort::incremental;
  const ContractionPlan first = make();
  EXPECT_FALSE(first.is_decided());
  EXPECT_EQ(first.considered().front().basis, Basis::formula);
  EXPECT_THAT(first.explain(), ::testing::HasSubstr("beta = 0: 0 candidates tried in 0 executions, undecided"));
  const int executions = execute_until_decided(first);
  EXPECT_LE(executions, most_executions);
  EXPECT_GE(executions, 4);
  EXPECT_EQ(first.considered().front().basis, Basis::execution);
  EXPECT_EQ(first.seconds(), first.considered().front().seconds);
  const std::vector<std::string> names = artifact_names(*store_, "contraction-plan");
  ASSERT_EQ(names.size(), 1U) << first.explain();
  EXPECT_EQ(wisdom_conditions(names.front())->effort, "incremental 12");
  const ContractionPlan second = make();
  EXPECT_TRUE(second.is_decided());
  EXPECT_THAT(second.explain(), ::testing::HasSubstr("measured before"));
  EXPECT_EQ(second.considered().front().tiling, first.considered().front().tiling);
  execute_on_ones(second);
  options_.fresh = true;
  EXPECT_FALSE(make().is_decided());
}

TEST_F(PlanWithWisdom, IncrementalPlansChooseSeparatelyWhereTheyAddToC) {
  options_.effort = Effort::incremental;
  const ContractionPlan made = make();
  execute_until_decided(made, 1);
  EXPECT_EQ(made.considered().front().basis, Basis::formula) << "nothing was overwritten";
  ASSERT_EQ(artifact_names(*store_, "contraction-plan").size(), 1U);
  EXPECT_EQ(wisdom_conditions(artifact_names(*store_, "contraction-plan").front())->effort, "incremental 12, added to C");
  execute_on_ones(made, 0);
  EXPECT_FALSE(made.is_decided());
  EXPECT_THAT(made.explain(), ::testing::AllOf(::testing::HasSubstr("beta = 0: 1 candidate tried in 1 execution, undecided"),
                                               ::testing::HasSubstr("other beta: ")));
  execute_until_decided(made, 0);
  EXPECT_EQ(artifact_names(*store_, "contraction-plan").size(), 2U);
}

TEST_F(PlanWithWisdom, IncrementalPlansShareWhatWasMeasured) {
  options_.effort = Effort::incremental;
  options_.wisdom = nullptr;
  options_.trials = std::make_shared<TrialMemory>();
  int executions = 0;
  while (executions < 2 * most_executions && !make().is_decided()) {
    execute_on_ones(make(executions % 2 == 0 ? "ai,ibc->abc" : "xk,kyz->xyz"));
    ++executions;
  }
  EXPECT_LE(executions, most_executions) << "each plan went on where the one before had ended";
  EXPECT_GE(executions, 4);
  EXPECT_EQ(make().considered().front().basis, Basis::execution);
  options_.trials = std::make_shared<TrialMemory>();
  EXPECT_FALSE(make().is_decided());
}

TEST_F(PlanWithWisdom, IncrementalPlansOutliveTheirStore) {
  options_.effort = Effort::incremental;
  const ContractionPlan made = make();
  store_.reset();
  execute_until_decided(made);
  store_.emplace(model::Store::open(folder_ / "store.db"));
  options_.wisdom = &*store_;
  EXPECT_TRUE(make().is_decided());
}

TEST_F(PlanWithWisdom, IncrementalPlansDecideWithoutAStore) {
  options_.effort = Effort::incremental;
  options_.trials = std::make_shared<TrialMemory>();
  const ContractionPlan made = make();
  store_.reset();
  std::filesystem::remove_all(folder_);
  execute_until_decided(made);
  execute_on_ones(made);
  store_.emplace(model::Store::open(folder_ / "other.db"));
  options_.wisdom = &*store_;
  EXPECT_TRUE(make().is_decided()) << "the process knows the choice";
}

TEST(IncrementalPlan, MayBeExecutedFromSeveralThreads) {
  PlanOptions options;
  options.effort = Effort::incremental;
  const ContractionPlan chosen = plan("ai,ibc->abc", {{40, 8}, {8, 30, 20}, {40, 30, 20}}, test_machine(), options);
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i) {
    threads.emplace_back([&chosen, i] {
      for (int execution = 0; execution < 20 || (execution < 20'000 && !chosen.is_decided()); ++execution) {
        execute_on_ones(chosen, i == 2 ? 1 : 0);
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  EXPECT_TRUE(chosen.is_decided()) << chosen.explain();
}

TEST(IncrementalPlan, HasNothingToTryWithoutProductsOrWithTiles) {
  PlanOptions options;
  options.effort = Effort::incremental;
  EXPECT_TRUE(plan("ij,jk->ik", {{0, 4}, {4, 4}, {0, 4}}, test_machine(), options).is_decided());
  options.tiles = Tiling{3, 4, 5, TileKernel::panels};
  EXPECT_TRUE(plan("ij,jk->ik", {{30, 20}, {20, 25}, {30, 25}}, test_machine(), options).is_decided());
  EXPECT_TRUE(plan("ij,jk->ik", {{4, 4}, {4, 4}, {4, 4}}, test_machine()).is_decided()) << "the model has decided";
}

TEST(IncrementalPlan, MirrorsProductsOfOneTensor) {
  PlanOptions options;
  options.effort = Effort::incremental;
  options.order = Order::column_major;
  const ContractionPlan chosen = plan("ai,bi->ab", {{400, 200}, {400, 200}, {400, 400}}, test_machine(), options);
  const std::vector<double> a(80000, 0.5);
  std::vector<double> c(160000);
  chosen.execute(a.data(), a.data(), c.data());
  EXPECT_EQ(c, std::vector<double>(160000, 50.0));
  EXPECT_TRUE(chosen.is_decided()) << "there is nothing to choose";
  const std::vector<double> b = a;
  chosen.execute(a.data(), b.data(), c.data());
  EXPECT_FALSE(chosen.is_decided()) << "products of two tensors have candidates";
}

TEST(Plan, MayBeExecutedFromSeveralThreads) {
  const ContractionPlan chosen = plan("ij,jk->ik", {{30, 20}, {20, 25}, {30, 25}}, test_machine());
  const std::vector<double> a(600, 1.0), b(500, 2.0);
  std::vector<std::vector<double>> results(4, std::vector<double>(750));
  std::vector<std::thread> threads;
  for (std::vector<double>& result : results) {
    threads.emplace_back([&] {
      for (int i = 0; i < 20; ++i) {
        chosen.execute(a.data(), b.data(), result.data());
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  for (const std::vector<double>& result : results) {
    EXPECT_EQ(result, std::vector<double>(750, 40.0));
  }
}

TEST(Plan, RefusesOverlapAndNullPointersAndLeavesCAlone) {
  const ContractionPlan chosen = plan("ij,jk->ik", {{4, 4}, {4, 4}, {4, 4}}, test_machine());
  std::vector<double> memory(40, 1.0);
  const std::vector<double> before = memory;
  EXPECT_THROW(chosen.execute(memory.data(), memory.data() + 20, memory.data() + 8), Error);
  EXPECT_THROW(chosen.execute(memory.data(), memory.data(), memory.data() + 20, {0, 1}), Error) << "real numbers scaled by i";
  EXPECT_EQ(memory, before);
  EXPECT_THROW(chosen.execute(nullptr, memory.data(), memory.data() + 20), Error);
  EXPECT_THROW(chosen.execute(memory.data(), memory.data(), nullptr), Error);
  EXPECT_NO_THROW(plan("ij,jk->ik", {{0, 4}, {4, 4}, {0, 4}}, test_machine()).execute(nullptr, memory.data(), nullptr))
      << "A and C have no elements";
  EXPECT_THROW(plan("ij,jk->ik", {{4, 5}, {4, 4}, {4, 4}}, test_machine()), Error);
  EXPECT_THROW(plan("ij,jk->ik", {{4}, {4, 4}, {4, 4}}, test_machine()), Error);
}

}  // namespace
}  // namespace flopcast::contract
