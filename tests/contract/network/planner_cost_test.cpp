#include "flopcast/contract/network/planner_cost.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include "flopcast/contract/network/contraction_tree.hpp"
#include "flopcast/contract/network/step_model.hpp"
#include "flopcast/contract/planner/contraction_plan.hpp"
#include "flopcast/contract/planner/time_model.hpp"
#include "tests/contract/network/network_cases.hpp"
#include "tests/contract/planner/three_caches.hpp"

namespace flopcast::contract {
namespace {

/// Returns the sizes and contiguity of a contraction as a step.
PairStep step_of(const Contraction& contraction) {
  std::vector<std::int64_t> extents(128, 1);
  PairStep step;
  const auto role_of = [&](int label) {
    switch (contraction.role(static_cast<char>(label))) {
      case IndexRole::free_a: return StepRole::rows;
      case IndexRole::free_b: return StepRole::columns;
      case IndexRole::contracted: return StepRole::sums;
      case IndexRole::batch: break;
    }
    return StepRole::batch;
  };
  for (const auto& [index, extent] : contraction.extents) {
    extents[static_cast<std::size_t>(index)] = extent;
    double* const sizes[] = {&step.rows, &step.columns, &step.sums, &step.batch};
    *sizes[static_cast<std::size_t>(role_of(index))] *= static_cast<double>(extent);
  }
  const auto access = [&](Operand operand) {
    std::vector<LabelAxis> axes;
    const Tensor& tensor = contraction.tensor(operand);
    for (std::size_t i = 0; i < tensor.indices.size(); ++i) {
      axes.push_back({tensor.indices[i], tensor.strides[i]});
    }
    return access_of(make_layout(axes), extents, role_of);
  };
  step.a = access(Operand::a);
  step.b = access(Operand::b);
  step.c = access(Operand::c);
  return step;
}

/// Returns a contraction with up to two indices of each role, in random order. `has_batch` adds a batch index.
Contraction random_contraction(std::mt19937& random, bool has_batch, Precision precision) {
  const auto below = [&](int count) { return static_cast<int>(random() % static_cast<unsigned>(count)); };
  std::string m = below(2) == 0 ? "a" : "ab", n = below(2) == 0 ? "c" : "cd", k = below(2) == 0 ? "i" : "ij", batch = has_batch ? "x" : "";
  Extents extents;
  for (const char index : m + n + k + batch) {
    const int largest = index == 'x' ? 40 : 400;
    extents[index] = static_cast<std::int64_t>(2 * std::pow(largest / 2.0, static_cast<double>(below(1000)) / 1000));
  }
  const auto mixed = [&](std::string indices) {
    for (std::size_t i = indices.size(); i > 1; --i) {
      std::swap(indices[i - 1], indices[static_cast<std::size_t>(below(static_cast<int>(i)))]);
    }
    return indices;
  };
  return make_contraction({mixed(m + k + batch), mixed(k + n + batch), mixed(m + n + batch)}, extents, precision);
}

/// Returns the ratios of the predicted time to that of the planner's best candidate, sorted.
std::vector<double> ratios_to_the_planner(int threads, bool has_batch, Precision precision) {
  constexpr int cases = 80;
  constexpr std::int64_t longest = 100000;
  std::mt19937 random(1);
  const TileRates rates = assumed_tile_rates(machine());
  const PlannerCost cost(machine(), rates, precision, threads);
  std::vector<double> ratios;
  for (int i = 0; i < cases; ++i) {
    const Contraction contraction = random_contraction(random, has_batch, precision);
    const Folded folded = fold(contraction);
    if (folded.m.extent <= longest && folded.n.extent <= longest) {
      ratios.push_back(cost.seconds(step_of(contraction)) / candidates(folded, machine(), rates, threads).front().seconds);
    }
  }
  std::sort(ratios.begin(), ratios.end());
  return ratios;
}

TEST(PlannerCost, PredictsAboutWhatThePlannerDoes) {
  for (const Precision precision : {Precision::s, Precision::d, Precision::z}) {
    for (const int threads : {1, 2}) {
      for (const bool has_batch : {false, true}) {
        const std::vector<double> ratios = ratios_to_the_planner(threads, has_batch, precision);
        const std::string which = std::string(1, static_cast<char>(precision)) + (has_batch ? " batch " : " ") + std::to_string(threads);
        EXPECT_GT(ratios[ratios.size() / 10], 0.5) << which;
        EXPECT_GT(ratios[ratios.size() / 2], 0.85) << which;
        EXPECT_LT(ratios[ratios.size() / 2], 1.15) << which;
        EXPECT_LT(ratios[ratios.size() * 9 / 10], 1.5) << which;
      }
    }
  }
}

/// Steps and plans have one formula, so that a product of matrices that gemm takes where they lie is equally long in both.
TEST(PlannerCost, IsThePlannersTimeOfOneCall) {
  const TileRates rates = assumed_tile_rates(machine());
  for (const std::int64_t n : {1, 5, 40, 300, 2000}) {
    for (const Precision precision : {Precision::s, Precision::z}) {
      const Contraction contraction = make_contraction({"ak", "kb", "ab"}, {{'a', 200}, {'b', n}, {'k', 100}}, precision);
      const Folded folded = fold(contraction);
      const TimeModel model(folded, machine(), rates);
      Tiling whole;
      whole.m = folded.m.extent;
      whole.n = folded.n.extent;
      whole.k = folded.k.extent;
      whole.kernel = TileKernel::gemm;
      ASSERT_TRUE(model.is_in_place(whole));
      const PlannerCost cost(machine(), rates, precision, 1);
      EXPECT_NEAR(cost.gemm_in_place(step_of(contraction)), model.time(whole).total(), 1e-12 * model.time(whole).total()) << n;
    }
  }
}

TEST(PlannerCost, IsNeverBelowItsBoundAndNeverAboveThatOfAGivenLayout) {
  std::mt19937 random(2);
  const TileRates rates = assumed_tile_rates(machine());
  for (int i = 0; i < 400; ++i) {
    const Precision precision = i % 3 == 0 ? Precision::s : i % 3 == 1 ? Precision::d : Precision::c;
    const PlannerCost cost(machine(), rates, precision, 1 + i % 3);
    const PairStep given = step_of(random_contraction(random, i % 2 == 0, precision));
    PairStep free = given;
    free.a = free.b = free.c = ElementAccess();
    EXPECT_LE(cost.at_least(given), cost.seconds(given)) << i;
    EXPECT_LE(cost.at_least(free), cost.seconds(free)) << i;
    EXPECT_LE(cost.seconds(free), cost.seconds(given) * (1 + 1e-12)) << i;
  }
}

TEST(PlannerCost, CountsMemoryWhereFlopsAreFew) {
  const PlannerCost cost(machine(), assumed_tile_rates(machine()), Precision::d, 1);
  PairStep outer;
  outer.rows = outer.columns = 1e4;  // 800 MB at 10 GB/s
  EXPECT_GT(cost.seconds(outer), 0.08);
  PairStep square;
  square.rows = square.columns = square.sums = 1000;  // 2 GFLOP at 40 GFLOP/s
  EXPECT_GT(cost.seconds(square), 0.05);
  EXPECT_LT(cost.seconds(square), 0.07);
  SumStep sum;
  sum.kept = 1e4;
  sum.summed = 1e4;
  EXPECT_GT(cost.seconds(sum), 0.08);
  EXPECT_LT(cost.seconds(sum), 0.2);
  square.batch = 0;
  EXPECT_EQ(cost.seconds(square), 0);
}

TEST(PlannerCost, ChoosesTheTreesOfKnownNetworks) {
  const PlannerCost cost(machine(), assumed_tile_rates(machine()), Precision::d, 1);
  // The tree with the fewest flops has an intermediate of 480 GB.
  Network laplace = network_of("iP,sP,PQ,jQ,tQ,ti,sj->", {{'i', 300}, {'j', 300}, {'s', 50}, {'t', 50}, {'P', 2000}, {'Q', 2000}});
  laplace.precision = Precision::d;
  const ContractionTree tree = find_tree(laplace, cost);
  EXPECT_TRUE(tree.is_exhaustive);
  EXPECT_LT(tree.workspace_bytes, 2e9) << tree.explain();
  EXPECT_LT(tree.seconds, 20) << tree.explain();
  TreeOptions limited;
  limited.room_bytes = 20e6;
  const ContractionTree small = find_tree(laplace, cost, limited);
  EXPECT_LE(small.workspace_bytes, 20e6);
  EXPECT_LT(small.seconds, 2 * tree.seconds) << small.explain();
  EXPECT_FALSE(small.loops.empty()) << small.explain();
  // Attention: the scores "bgd" are small, and "gkd" must not be made.
  Network attention = network_of("bgk,bkd,bk->bgd", {{'b', 64}, {'g', 8}, {'k', 4096}, {'d', 128}});
  attention.precision = Precision::d;
  const ContractionTree scaled = find_tree(attention, cost);
  EXPECT_EQ(scaled.path().front(), (std::vector<int>{0, 2})) << "the small operand is scaled\n" << scaled.explain();
}

TEST(PlannerCost, KeepsMatricesOfABatchTogether) {
  const PlannerCost cost(machine(), assumed_tile_rates(machine()), Precision::d, 1);
  Network network = network_of("bij,bjk,kbl->bil", {{'b', 30}, {'i', 60}, {'j', 70}, {'k', 80}, {'l', 90}});
  network.precision = Precision::d;
  const ContractionTree tree = find_tree(network, cost);
  ASSERT_TRUE(tree.is_intermediate(3));
  EXPECT_EQ(tree.tensors[3].labels.front(), 'b') << tree.explain();
}

}  // namespace
}  // namespace flopcast::contract
