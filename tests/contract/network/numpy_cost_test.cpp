#include "flopcast/contract/network/planner_cost.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "flopcast/contract/network/plan.hpp"
#include "tests/contract/planner/three_caches.hpp"

namespace flopcast::contract {
namespace {

NumpyCost cost_on(int threads, Precision precision = Precision::d) {
  return NumpyCost(machine(), assumed_tile_rates(machine()), precision, threads);
}

PairStep step(double rows, double columns, double sums, double batch = 1) { return {rows, columns, sums, batch, {}, {}, {}}; }

TEST(NumpyCost, BatchesGoThroughSlowLoops) {
  const NumpyCost cost = cost_on(1);
  EXPECT_GT(cost.seconds(step(100, 100, 100, 10)), 3 * cost.seconds(step(1000, 100, 100)));
  EXPECT_DOUBLE_EQ(cost_on(4).seconds(step(100, 100, 100, 10)), cost.seconds(step(100, 100, 100, 10))) << "by one thread";
  EXPECT_LT(cost_on(4).seconds(step(1000, 1000, 1000)), 0.5 * cost.seconds(step(1000, 1000, 1000)));
}

TEST(NumpyCost, ThreadsOfItsBlasShareOneCall) {
  TileRates rates = assumed_tile_rates(machine());
  rates.gemm_takes_turns = true;
  const PairStep matrices = step(1000, 1000, 1000);
  EXPECT_DOUBLE_EQ(NumpyCost(machine(), rates, Precision::d, 4).seconds(matrices), cost_on(4).seconds(matrices));
}

TEST(NumpyCost, TensorsThatAreNoMatricesAreCopied) {
  const NumpyCost cost = cost_on(1);
  PairStep copied = step(64, 64, 64);
  copied.b = {false, StepRole::columns, 8, 8, true};
  EXPECT_DOUBLE_EQ(cost.seconds(copied), cost.seconds(step(64, 64, 64)));
  copied.a = {false, StepRole::rows, 8, 8, false};
  EXPECT_GT(cost.seconds(copied), cost.seconds(step(64, 64, 64)));
  PairStep of_two_labels = step(64, 64, 64);
  of_two_labels.sum_labels = 2;
  EXPECT_GT(cost.seconds(of_two_labels), cost.seconds(step(64, 64, 64))) << "one tensor may have them in another order";
}

TEST(NumpyCost, VectorsOnEitherSideTakeAsLong) {
  const NumpyCost cost = cost_on(1);
  EXPECT_DOUBLE_EQ(cost.seconds(step(500, 1, 300)), cost.seconds(step(1, 500, 300)));
  EXPECT_EQ(cost.seconds(step(500, 0, 300)), 0);
}

TEST(NumpyCost, BoundsAreNeverAboveTheTime) {
  std::mt19937 random(3);
  const auto extent = [&] { return std::floor(std::pow(1000.0, static_cast<double>(random() % 1000) / 1000)); };
  for (const Precision precision : {Precision::s, Precision::d, Precision::z}) {
    for (const int threads : {1, 3}) {
      const NumpyCost cost = cost_on(threads, precision);
      for (int i = 0; i < 2000; ++i) {
        const PairStep some = step(extent(), extent(), extent(), random() % 2 == 0 ? 1 : extent());
        EXPECT_LE(cost.at_least(some), cost.seconds(some) * (1 + 1e-12));
      }
    }
  }
}

TEST(NumpyCost, TreesWithBatchesTakeLongerThanByThePlanner) {
  const std::string text = "bik,bkj,jl->bil";
  const std::vector<std::vector<std::int64_t>> shapes = {{100, 60, 60}, {100, 60, 64}, {64, 60}};
  Machine usual;
  usual.environment = machine();
  const auto seconds_of = [&](Executor executor) {
    return find_path(with_shapes(parse_expression(text), shapes), usual, executor).seconds;
  };
  EXPECT_GT(seconds_of(Executor::numpy), 2 * seconds_of(Executor::planner));
}

}  // namespace
}  // namespace flopcast::contract
