// Iakymchuk, Performance Prediction through Time Measurements, 2011: models from few timings, and LU predicted from GER.
#include <gmock/gmock.h>

#include <array>
#include <cmath>

#include "bench/baselines/lu_from_ger.hpp"
#include "flopcast/core/kernel_model.hpp"
#include "flopcast/kernel/catalogue.hpp"
#include "flopcast/model/levels.hpp"

namespace flopcast::model {
namespace {

using namespace bench;

/// Harpertown: "L1 (32 KB) and L2 (6 MB) caches".
constexpr std::array<std::int64_t, 2> capacities = {32 << 10, 6 << 20};
const Box domain{{8}, {800}};  // within L2

double square_bytes(std::span<const std::int64_t> sizes) {
  const auto n = static_cast<double>(sizes[0]);
  return 8 * (n * n + 2 * n);
}

/// "Piecewise-parabolic behavior of GER", with a ripple of half a percent that no parabola follows.
Seconds ger_time(std::int64_t order) {
  const auto n = static_cast<double>(order);
  const double per_element = square_bytes(std::array<std::int64_t, 1>{order}) < capacities[0] ? 0.35e-9 : 0.6e-9;
  return (40e-9 + 2e-9 * n + per_element * n * n) * (1 + 0.005 * std::sin(n));
}

/// Returns the time of LU's real calls: SCAL and GER in every step.
Seconds lu_time(std::int64_t n) {
  Seconds sum = 0;
  for (std::int64_t i = 1; i < n; ++i) {
    sum += ger_time(i) + 20e-9 + 0.3e-9 * static_cast<double>(i);
  }
  return sum;
}

Model ger_model(int measurements) {
  const SampleSource source = [](std::span<const Sizes> points) -> std::optional<MeasuredBatch> {
    MeasuredBatch measured;
    for (const Sizes& point : points) {
      measured.seconds.push_back(ger_time(point[0]));
    }
    return measured;
  };
  return model_by_levels({}, {"n"}, domain, square_bytes, capacities, total_basis(1, 2), {measurements, 8}, source);
}

TEST(Iakymchuk2011, GerPerformsMoreThan96PercentOfTheFlopsOfLu) {
  EXPECT_EQ(ger_share(1), 0);
  EXPECT_DOUBLE_EQ(ger_share(2), 2.0 / 3);
  for (std::int64_t n = 20; n <= 2000; ++n) {
    EXPECT_GT(ger_share(n), 0.96);
    EXPECT_GE(ger_share(n + 1), ger_share(n));
  }
}

TEST(Iakymchuk2011, TwoLevelsTakeEightToTwelveMeasurements) {
  EXPECT_EQ(LevelsOptions{}.measurements, 6);
  EXPECT_EQ(ger_model(4).cost.samples, 8);
  EXPECT_EQ(ger_model(6).cost.samples, 12);
}

TEST(Iakymchuk2011, TheDegreeIsThatOfTheComplexity) {
  EXPECT_EQ(total_basis(1, 2).size(), 3U);  // a2 n^2 + a1 n + a0
  Call call;
  call.routine = &kernel::require("dger");
  const std::vector<Monomial> basis = adapted_basis(call, {{8, 8}, {800, 800}});
  EXPECT_THAT(degrees(basis, 2), ::testing::ElementsAre(1, 1));  // m n: O(n^2) where m = n
}

TEST(Iakymchuk2011, GerDeviatesByLessThanThreePercentInL1AndTwoInL2) {
  const Model model = ger_model(6);
  for (std::int64_t n = 8; n < 300; ++n) {
    const double deviation = std::fabs(evaluate(model, Sizes{n}).seconds / ger_time(n) - 1);
    EXPECT_LT(deviation, n <= 64 ? 0.03 : 0.02) << n;
  }
}

TEST(Iakymchuk2011, LuDeviatesMostCloseToTheOriginAndEverLessWithItsOrder) {
  const Model model = ger_model(6);
  const auto deviation = [&](std::int64_t n) { return std::fabs(Deviation{n, lu_from_ger(model, n).seconds, lu_time(n)}.relative()); };
  EXPECT_GT(deviation(16), deviation(64));
  EXPECT_GT(deviation(64), deviation(256));
  EXPECT_GT(deviation(256), deviation(750));
  EXPECT_LT(deviation(256), 0.03);
  EXPECT_LT(deviation(750), 0.02);
}

}  // namespace
}  // namespace flopcast::model
