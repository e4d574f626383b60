#include "flopcast/model/kernel_process.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "flopcast/kernel/catalogue.hpp"
#include "flopcast/kernel/parse_call.hpp"

namespace flopcast::model {
namespace {

TEST(AliasingDegree, CountsFactorsOfTwoInPages) {
  EXPECT_EQ(aliasing_degree(8 * 500), 0);
  EXPECT_EQ(aliasing_degree(8 * 512), 1);
  EXPECT_EQ(aliasing_degree(8 * 1536), 1);
  EXPECT_EQ(aliasing_degree(8 * 1024), 2);
  EXPECT_EQ(aliasing_degree(16 * 256), 1) << "complex elements";
  EXPECT_EQ(aliasing_degree(-8 * 2048), 3);
  EXPECT_EQ(aliasing_degree(std::int64_t{1} << 40), 8);
  EXPECT_EQ(aliasing_degree(0), 0);
}

/// A machine that makes 1e9 flops per second, whatever lies where.
Baseline baseline() {
  Baseline all;
  all.flops_rate = 1e9;
  all.bandwidths = {1e15, 1e15};
  all.capacities = {32768};
  all.overhead = 0;
  return all;
}

Call gemm(std::int64_t order, std::int64_t ld = 1000) {
  const std::string n = std::to_string(order), stride = std::to_string(ld);
  return kernel::parse_call(kernel::require("dgemm"), {{"m", n}, {"n", n}, {"k", n}, {"lda", stride}, {"ldb", stride}, {"ldc", stride}});
}

const Placement near_placement = {{1, 0, false}, {1, 0, false}, {1, 0, false}};

/// Adds a call that takes `factor` times as long as 1e9 flops per second say.
void add(KernelProcess& process, std::int64_t order, double factor, const MachineState& state = {}) {
  const Call call = gemm(order);
  const Seconds time = factor * flops(call) / 1e9;
  process.add(call, near_placement, std::array{0.999 * time, time, 1.001 * time}, baseline(), state);
}

TEST(KernelProcesses, PlacesHaveCoordinatesInGroups) {
  const std::vector<double> at = KernelProcess::coordinates(gemm(100, 1024), near_placement, baseline());
  const std::vector<int> groups = KernelProcess::coordinate_groups(kernel::require("dgemm"));
  ASSERT_EQ(at.size(), groups.size());
  ASSERT_EQ(at.size(), 3U + 3 + 3 + 1 + 2) << "sizes, operands, leading dimensions, work, state";
  for (const std::size_t size : {0, 1, 2}) {
    EXPECT_DOUBLE_EQ(at[size], std::log(100));
    EXPECT_EQ(groups[size], static_cast<int>(size)) << "each size has a length of its own";
  }
  for (const std::size_t operand : {3, 4, 5}) {
    EXPECT_NEAR(at[operand], 0, 0.01) << "in the first level";
    EXPECT_EQ(groups[operand], groups[3]);
  }
  for (const std::size_t stride : {6, 7, 8}) {
    EXPECT_EQ(at[stride], 2) << "columns are two pages apart";
  }
  EXPECT_NEAR(at[9], std::log(2e6 / 1e7), 1e-12) << "work against usual work";
}

TEST(KernelProcesses, AreFittedOnceTheyHaveObservations) {
  KernelProcess process;
  EXPECT_FALSE(process.fitted());
  for (const std::int64_t order : {64, 100, 150, 220, 330}) {
    add(process, order, 2);
  }
  EXPECT_EQ(process.observations(), 5U);
  process.fit();
  ASSERT_TRUE(process.fitted());
  EXPECT_TRUE(process.cliffs().empty());
  const Call between = gemm(180);
  const Estimate estimate = process.estimate(between, near_placement, baseline());
  EXPECT_NEAR(estimate.seconds, 2 * flops(between) / 1e9, 0.05 * estimate.seconds);
  EXPECT_FALSE(estimate.extrapolated);
  EXPECT_TRUE(process.estimate(gemm(1000), near_placement, baseline()).extrapolated);
}

TEST(KernelProcesses, ObservationsOfOnePlaceAndSessionAreOne) {
  KernelProcess process;
  add(process, 100, 1, {.session = 1, .reference = 1e-3, .noise = 0});
  add(process, 100, 1, {.session = 1, .reference = 1e-3, .noise = 0});
  EXPECT_EQ(process.observations(), 1U);
  add(process, 100, 1, {.session = 2, .reference = 1e-3, .noise = 0});
  add(process, 100, 1, {.session = 3, .reference = 1e-3, .noise = 0});
  EXPECT_EQ(process.observations(), 3U);
  add(process, 100, 1, {.session = 4, .reference = 1e-3, .noise = 0});
  EXPECT_EQ(process.observations(), 3U) << "the oldest gives way";
}

TEST(KernelProcesses, NoisyObservationsGiveWayToCalmOnes) {
  KernelProcess process;
  add(process, 100, 3, {.session = 1, .reference = 1e-3, .noise = 0.2});
  EXPECT_EQ(process.observations(), 1U);
  add(process, 100, 1, {.session = 2, .reference = 1e-3, .noise = 0});
  EXPECT_EQ(process.observations(), 1U);
  add(process, 100, 3, {.session = 3, .reference = 1e-3, .noise = 0.2});
  EXPECT_EQ(process.observations(), 1U) << "a quiet one is known there";
  EXPECT_DOUBLE_EQ(process.observed_places().at(0).at(10), 2) << "the session";
}

TEST(KernelProcesses, CallsWithoutWorkAndTimesSayNothing) {
  KernelProcess process;
  process.add(gemm(100), near_placement, {}, baseline());
  process.add(gemm(0), near_placement, std::array{1e-6}, baseline());
  EXPECT_EQ(process.observations(), 0U);
}

TEST(KernelProcesses, ThePriorHasALengthForEachSizeAndOneForLevels) {
  EXPECT_EQ(KernelProcess::prior(kernel::require("dgemm")).lengths.size(), 4U);
  EXPECT_EQ(KernelProcess::prior(kernel::require("ddot")).lengths.size(), 2U);
}

}  // namespace
}  // namespace flopcast::model
