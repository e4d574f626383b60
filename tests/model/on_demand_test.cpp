#include "flopcast/model/on_demand.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <utility>

#include "flopcast/kernel/catalogue.hpp"
#include "flopcast/kernel/parse_call.hpp"

namespace flopcast::model {
namespace {

Environment machine() {
  Environment environment;
  environment.caches = {{.name = "L1", .capacity_bytes = 32 << 10, .bandwidth = 100e9},
                        {.name = "L2", .capacity_bytes = 1 << 20, .bandwidth = 50e9},
                        {.name = "L3", .capacity_bytes = 32 << 20, .bandwidth = 20e9}};
  environment.memory_bandwidth = 10e9;
  environment.peak_flops = 50e9;
  environment.fingerprint = "test";
  return environment;
}

Call gemm(std::int64_t m, std::int64_t n, std::int64_t k) {
  const auto text = [](std::int64_t value) { return std::to_string(value); };
  return kernel::parse_call(kernel::require("dgemm"), {{"m", text(m)}, {"n", text(n)}, {"k", text(k)}});
}

Placement everything_at(std::int64_t distance, std::int8_t level) {
  const OperandState state{distance, level, false};
  return {state, state, state};
}

/// A machine whose dgemm is slower for small sizes and for operands far away.
Seconds truth(const Call& call, const Placement& placement) {
  const double m = static_cast<double>(sizes(call)[0]);
  const double k = static_cast<double>(sizes(call)[2]);
  return flops(call) / 45e9 * (1 + 8 / k + 20 / m) * (1 + 0.05 * placement[0].level) + 2e-7;
}

TEST(ContinuousLevel, MovesFromLevelToLevelAroundEachCapacity) {
  const Baseline baseline = Baseline::of(machine());
  const auto level = [&](std::int64_t distance) { return continuous_level({distance, 0, false}, baseline.capacities); };
  EXPECT_DOUBLE_EQ(level(1 << 10), 0);
  EXPECT_DOUBLE_EQ(level(32 << 10), 0.5);
  EXPECT_DOUBLE_EQ(level(128 << 10), 1);
  EXPECT_DOUBLE_EQ(level(1 << 20), 1.5);
  EXPECT_DOUBLE_EQ(level(std::int64_t{1} << 33), 3);
  EXPECT_DOUBLE_EQ(continuous_level({-1, 2, false}, baseline.capacities), 2) << "without a distance the level counts";
}

TEST(BaselineTime, AddsArithmeticAndTraffic) {
  const Baseline baseline = Baseline::of(machine());
  const Call call = gemm(100, 100, 100);
  const double near = baseline_time(call, everything_at(1, 0), baseline);
  EXPECT_NEAR(near, baseline.overhead + 2e6 / 50e9 + 4 * 80000 / 100e9, 1e-12) << "C is read and written";
  EXPECT_NEAR(baseline_time(call, everything_at(std::int64_t{1} << 40, 3), baseline) - near, 4 * 80000 * (1 / 10e9 - 1 / 100e9), 1e-12);
}

TEST(OnDemandModels, PredictUnseenSizesAndPlaces) {
  OnDemandModels models(machine());
  for (const std::int64_t m : {64, 128, 256, 512, 1024}) {
    for (const std::int64_t k : {16, 32, 64, 128}) {
      for (const std::int8_t level : {std::int8_t{0}, std::int8_t{3}}) {
        const Placement placement = everything_at(level == 0 ? 1 : std::int64_t{1} << 40, level);
        const Call call = gemm(m, m, k);
        const std::array<Seconds, 3> times = {truth(call, placement), truth(call, placement) * 1.002, truth(call, placement) * 0.998};
        models.add(call, placement, times);
      }
    }
  }
  models.fit();
  for (const std::int64_t m : {90, 300, 700}) {
    for (const std::int64_t k : {24, 48, 96}) {
      const Placement placement = everything_at(1, 0);
      const Call call = gemm(m, m, k);
      const Estimate estimate = models.estimate(call, placement);
      EXPECT_NEAR(estimate.seconds / truth(call, placement), 1, 0.02) << m << " " << k;
      EXPECT_FALSE(estimate.extrapolated);
      EXPECT_LT(estimate.relative_error, 0.05);
    }
  }
  EXPECT_TRUE(models.estimate(gemm(4000, 4000, 64), everything_at(1, 0)).extrapolated);
}

/// All repetitions of one call wait for a core, as a library's threads do that share the cores with other programs.
TEST(OnDemandModels, ADisturbedSampleIsFoundBesideItsNeighbours) {
  const Placement placement = everything_at(1, 0);
  const auto predicted = [&](double times_as_long, std::int64_t disturbed) {
    OnDemandModels models(machine());
    for (const std::int64_t n : {64, 90, 128, 180, 256, 360, 512}) {
      const Call call = gemm(n, n, n);
      const Seconds seconds = truth(call, placement) * (n == disturbed ? times_as_long : 1);
      models.add(call, placement, std::array<Seconds, 3>{seconds, seconds * 1.002, seconds * 0.998});
    }
    models.fit();
    return models.seconds(gemm(180, 180, 180), placement) / truth(gemm(180, 180, 180), placement);
  };
  EXPECT_NEAR(predicted(1, 180), 1, 0.02);
  EXPECT_NEAR(predicted(1500, 180), 1, 0.05);
  EXPECT_NEAR(predicted(1500, 128), 1, 0.05) << "a neighbour";
  EXPECT_NEAR(predicted(6, 180), 1, 0.05);
}

/// From order 180 on, a call takes five times as long for its work: one observation alone would be taken for a disturbance, several are a fact.
TEST(OnDemandModels, ObservationsThatAgreeAreNotDisturbed) {
  const Placement placement = everything_at(1, 0);
  OnDemandModels models(machine());
  const auto seconds = [&](std::int64_t n) { return truth(gemm(n, n, n), placement) * (n >= 180 ? 5 : 1); };
  for (const std::int64_t n : {48, 64, 90, 128, 180, 200, 220, 256}) {
    models.add(gemm(n, n, n), placement, std::array<Seconds, 3>{seconds(n), seconds(n), seconds(n)});
  }
  models.fit();
  EXPECT_NEAR(models.seconds(gemm(200, 200, 200), placement) / seconds(200), 1, 0.1);
  EXPECT_NEAR(models.seconds(gemm(64, 64, 64), placement) / seconds(64), 1, 0.1);
}

TEST(OnDemandModels, FindTheCliffWhereALibraryChangesItsAlgorithm) {
  static constexpr double at = 2e6;  // in flops, like the limit of small products in OpenBLAS
  const auto time = [](const Call& call) { return truth(call, everything_at(1, 0)) * (flops(call) > at ? 1.4 : 1.0); };
  OnDemandModels models(machine());
  for (const std::int64_t m : {16, 48, 80, 112, 144, 176, 208, 240}) {
    for (const std::int64_t k : {16, 48, 80, 112, 144, 176, 208, 240}) {
      const Call call = gemm(m, 48, k);
      const std::array<Seconds, 3> times = {time(call), time(call) * 1.002, time(call) * 0.998};
      models.add(call, everything_at(1, 0), times);
    }
  }
  models.fit();
  const std::vector<double> cliffs = models.kernels().begin()->second.cliffs();
  ASSERT_EQ(cliffs.size(), 1U);
  EXPECT_NEAR(cliffs[0] / at, 1, 0.15);
  for (const auto& [m, k] : {std::pair(130, 140), std::pair(150, 160), std::pair(100, 200), std::pair(120, 190)}) {
    const Call call = gemm(m, 48, k);
    EXPECT_NEAR(models.estimate(call, everything_at(1, 0)).seconds / time(call), 1, 0.03) << flops(call);
  }
}

/// Returns the product of blocks of matrices with this leading dimension.
Call gemm_in(std::int64_t ld, std::int64_t m, std::int64_t k) {
  const auto text = [](std::int64_t value) { return std::to_string(value); };
  return kernel::parse_call(kernel::require("dgemm"),
                            {{"m", text(m)}, {"n", text(m)}, {"k", text(k)}, {"lda", text(ld)}, {"ldb", text(ld)}, {"ldc", text(ld)}});
}

/// A machine on which pages between columns make dgemm 1.8 times as slow.
Seconds truth_with_aliasing(const Call& call, std::int64_t ld) { return truth(call, everything_at(1, 0)) * (ld % 512 == 0 ? 1.8 : 1.0); }

void add_products(OnDemandModels& models, std::int64_t ld, std::initializer_list<std::int64_t> orders) {
  for (const std::int64_t m : orders) {
    for (const std::int64_t k : {16, 32, 64, 128}) {
      const Call call = gemm_in(ld, m, k);
      const Seconds time = truth_with_aliasing(call, ld);
      models.add(call, everything_at(1, 0), std::array{time * 0.998, time, time * 1.002});
    }
  }
}

TEST(OnDemandModels, AliasedLeadingDimensionsArePlacesOfTheirOwn) {
  OnDemandModels models(machine());
  add_products(models, 1000, {64, 128, 256, 512});
  models.fit();
  const Call usual = gemm_in(1000, 200, 48), aliased = gemm_in(1024, 200, 48);
  const Estimate before = models.estimate(usual, everything_at(1, 0));
  const Estimate unsampled = models.estimate(aliased, everything_at(1, 0));
  EXPECT_FALSE(before.extrapolated);
  EXPECT_TRUE(unsampled.extrapolated);
  EXPECT_GT(unsampled.relative_error, 0.3);
  EXPECT_LT(std::fabs(std::log(unsampled.seconds / truth_with_aliasing(aliased, 1024))), 2 * unsampled.relative_error);
  EXPECT_GT(models.total(std::array{aliased}, std::array{everything_at(1, 0)}).extrapolated, 0);

  add_products(models, 1024, {64, 512});
  models.fit();
  const Estimate sampled = models.estimate(aliased, everything_at(1, 0));
  EXPECT_FALSE(sampled.extrapolated);
  EXPECT_NEAR(sampled.seconds / truth_with_aliasing(aliased, 1024), 1, 0.04);
  EXPECT_LT(sampled.relative_error, 0.1);
  EXPECT_NEAR(models.estimate(usual, everything_at(1, 0)).seconds / truth_with_aliasing(usual, 1000), 1, 0.02);
  EXPECT_TRUE(models.estimate(gemm_in(4096, 200, 48), everything_at(1, 0)).extrapolated) << "another degree";
}

TEST(OnDemandModels, SamplesKeepTheClassOfLeadingDimensions) {
  const OnDemandModels models(machine());
  EXPECT_EQ(models.sample_key(gemm_in(1024, 64, 64)).strides, "ppp");
  EXPECT_EQ(models.key(gemm_in(1024, 64, 64)), models.key(gemm_in(1000, 64, 64)));
}

/// A machine in moods: how much longer than in its usual state a call takes where the reference kernel takes `slowness` times as long. Small
/// calls suffer more than large ones, and not as the reference kernel does.
Seconds in_mood(const Call& call, double slowness) {
  const double share = 0.5 + 0.1 * (std::log(1e8) - std::log(flops(call)));
  return truth(call, everything_at(1, 0)) * std::pow(slowness, share);
}

constexpr Seconds usual_reference = 1e-3;

MachineState session(double hour, double slowness, double noise = 0) { return {490000 + hour, usual_reference * slowness, noise}; }

/// Adds what a session in a mood finds, with repetitions 0.3 % apart.
void add_session(OnDemandModels& models, double hour, double slowness, std::initializer_list<std::int64_t> sizes, double noise = 0) {
  for (const std::int64_t m : sizes) {
    const Call call = gemm(m, m, 64);
    const Seconds time = in_mood(call, slowness);
    models.add(call, everything_at(1, 0), std::array{time * 0.997, time, time * 1.003}, session(hour, slowness, noise));
  }
}

TEST(OnDemandModelsInMoods, PredictForTheLatestSessionFromAFewOfItsPoints) {
  OnDemandModels models(machine());
  add_session(models, 0, 1.45, {64, 90, 128, 180, 256, 360, 512, 720, 1024});
  add_session(models, 1, 1.00, {100, 400});
  add_session(models, 3, 1.40, {80, 200, 300, 600, 900});
  add_session(models, 5, 1.02, {64, 1024});
  models.fit();
  for (const std::int64_t m : {90, 150, 256, 500, 720}) {
    const Call call = gemm(m, m, 64);
    const Estimate estimate = models.estimate(call, everything_at(1, 0));
    EXPECT_NEAR(estimate.seconds / in_mood(call, 1.02), 1, 0.04) << m << ": the slow sessions are 20 to 45 % away";
    EXPECT_LT(std::fabs(std::log(estimate.seconds / in_mood(call, 1.02))), 2.5 * std::hypot(estimate.relative_error, 0.005)) << m;
  }
}

TEST(OnDemandModelsInMoods, ASessionOfAnotherKernelMovesAPredictionByLessThanItsInterval) {
  const auto add_others = [](OnDemandModels& models, double hour, double slowness) {
    const Call call = kernel::parse_call(kernel::require("dsyrk"), {{"n", "200"}, {"k", "64"}});
    models.add(call, {{1, 0, false}, {1, 0, false}}, std::array{1e-4 * slowness, 1e-4 * slowness, 1e-4 * slowness},
               session(hour, slowness));
  };
  const Call call = gemm(300, 300, 64);
  for (const double slowness : {0.69, 0.9, 1.2, 1.45}) {
    OnDemandModels before(machine());
    add_session(before, 0, 1.0, {64, 128, 256, 512, 1024});
    add_session(before, 2, 1.3, {90, 200, 300, 800});
    add_session(before, 4, 1.0, {70, 400, 900});
    before.fit();
    const Estimate first = before.estimate(call, everything_at(1, 0));
    add_others(before, 5, slowness);
    before.fit();
    const Estimate second = before.estimate(call, everything_at(1, 0));
    const double expected = in_mood(call, slowness);
    EXPECT_LT(std::fabs(std::log(second.seconds / expected)), 2 * second.relative_error) << slowness;
    EXPECT_LT(second.relative_error, 0.2) << "the sessions have shown how dgemm responds";
    EXPECT_GE(second.relative_error, first.relative_error) << "this mood is known from another kernel only";
  }
}

TEST(OnDemandModelsInMoods, WhatANoisyMachineShowedGivesWayToCalm) {
  const Call call = gemm(256, 256, 64);
  OnDemandModels models(machine());
  add_session(models, 0, 1.0, {64, 128, 256, 512, 1024});
  models.fit();
  const Estimate quiet = models.estimate(call, everything_at(1, 0));
  add_session(models, 1, 1.6, {128, 256, 512}, 0.2);
  models.fit();
  const Estimate after = models.estimate(call, everything_at(1, 0));
  EXPECT_NEAR(after.seconds / quiet.seconds, 1, 1e-9) << "places and usual state stay those of the quiet session";
  EXPECT_EQ(models.wanted_state(), session(0, 1.0));

  OnDemandModels noisy(machine());
  add_session(noisy, 0, 1.6, {64, 128, 256, 512, 1024}, 0.2);
  noisy.fit();
  EXPECT_GT(noisy.estimate(call, everything_at(1, 0)).relative_error, 0.05);
  add_session(noisy, 1, 1.0, {64, 128, 256, 512, 1024});
  noisy.fit();
  EXPECT_NEAR(noisy.estimate(call, everything_at(1, 0)).seconds / truth(call, everything_at(1, 0)), 1, 0.01);
}

TEST(OnDemandModelsInMoods, RunsDifferByMomentsAndByTheStepsBetweenSessions) {
  OnDemandModels models(machine());
  const auto note = [&](double hour, double slowness, double spread, double noise = 0) {
    MachineState state = session(hour, slowness, noise);
    state.spread = spread;
    models.note_session(state);
  };
  note(0, 1.0, 0.02);
  note(1, 1.02, 0.04);
  note(2, 1.0, 0.01);
  EXPECT_EQ(models.run_deviation().moments, 0.02) << "this session's are fewer than usual";
  EXPECT_EQ(models.run_deviation().sessions, 0) << "two steps tell nothing";
  note(2.5, 1.9, 0.01, 0.3);
  note(3, 1.04, 0.05);
  note(40, 1.5, 0.05);
  EXPECT_EQ(models.run_deviation().moments, 0.05);
  EXPECT_NEAR(models.run_deviation().sessions, 1.4826 * std::log(1.02), 1e-9) << "neither a noisy session nor a day counts";
  models.predict_for({.session = 490050, .noise = 0.2});
  EXPECT_EQ(models.run_deviation().moments, 0.2);
}

/// A library whose time rises above some size and nearly halves further up, where a second thread begins.
TEST(OnDemandModels, FindWhereASecondThreadBegins) {
  static constexpr double packed = 5e5, threaded = 4e6;  // in flops
  const auto time = [](const Call& call) {
    return truth(call, everything_at(1, 0)) * (flops(call) > threaded ? 0.8 : flops(call) > packed ? 1.4 : 1.0);
  };
  OnDemandModels models(machine());
  for (const std::int64_t m : {16, 48, 80, 112, 144, 176, 208, 240, 272, 304}) {
    for (const std::int64_t k : {16, 48, 80, 112, 144, 176, 208, 240, 272, 304}) {
      Call call = gemm(m, 48, k);
      call.threads = 2;
      const std::array<Seconds, 3> times = {time(call), time(call) * 1.002, time(call) * 0.998};
      models.add(call, everything_at(1, 0), times);
    }
  }
  models.fit();
  const std::vector<double> cliffs = models.kernels().begin()->second.cliffs();
  ASSERT_EQ(cliffs.size(), 2U);
  EXPECT_NEAR(cliffs[0] / packed, 1, 0.25);
  EXPECT_NEAR(cliffs[1] / threaded, 1, 0.25);
}

TEST(OnDemandModels, SeeNoCliffInSmoothTimes) {
  OnDemandModels models(machine());
  for (const std::int64_t m : {16, 48, 80, 112, 144, 176, 208, 240}) {
    for (const std::int64_t k : {16, 48, 80, 112, 144, 176}) {
      const Call call = gemm(m, 48, k);
      const Seconds time = truth(call, everything_at(1, 0));
      const std::array<Seconds, 3> times = {time, time * 1.002, time * 0.998};
      models.add(call, everything_at(1, 0), times);
    }
  }
  models.fit();
  EXPECT_THAT(models.kernels().begin()->second.cliffs(), testing::IsEmpty());
}

TEST(OnDemandModels, KeepCallsThatOnlyScaleTheirOutputApart) {
  OnDemandModels models(machine());
  EXPECT_FALSE(returns_at_once(gemm(100, 100, 0))) << "C may be read and written";
  EXPECT_TRUE(returns_at_once(gemm(0, 100, 100)));
  EXPECT_EQ(models.key(gemm(100, 100, 0)).zeros, "k");
  EXPECT_NE(models.key(gemm(100, 100, 0)), models.key(gemm(100, 100, 1)));
  EXPECT_EQ(models.key(gemm(100, 100, 7)), models.key(gemm(50, 20, 1)));
}

TEST(OnDemandModels, FallBackToTheBaselineAndSaySo) {
  const OnDemandModels models(machine());
  const Call call = gemm(100, 100, 100);
  const Estimate estimate = models.estimate(call, everything_at(1, 0));
  EXPECT_DOUBLE_EQ(estimate.seconds, baseline_time(call, everything_at(1, 0), models.baseline()));
  EXPECT_TRUE(estimate.extrapolated);
  const std::array<Call, 1> calls = {call};
  const std::array<Placement, 1> placements = {everything_at(1, 0)};
  const Total total = models.total(calls, placements);
  EXPECT_DOUBLE_EQ(total.unmodelled, total.seconds);
}

TEST(OnDemandModels, TotalsAddUpAndDifferencesOfEqualTotalsAreCertain) {
  OnDemandModels models(machine());
  for (const std::int64_t m : {64, 128, 256, 512}) {
    const std::array<Seconds, 2> times = {truth(gemm(m, m, 32), everything_at(1, 0)), truth(gemm(m, m, 32), everything_at(1, 0)) * 1.01};
    models.add(gemm(m, m, 32), everything_at(1, 0), times);
  }
  models.fit();
  const std::vector<Call> calls = {gemm(100, 100, 32), gemm(200, 200, 32), gemm(0, 200, 32)};
  const std::vector<Placement> placements(3, everything_at(1, 0));
  const Total total = models.total(calls, placements);
  Seconds sum = 0;
  for (std::size_t i = 0; i < calls.size(); ++i) {
    sum += models.estimate(calls[i], placements[i]).seconds;
  }
  EXPECT_NEAR(total.seconds, sum, 1e-15);
  const Total again = models.total(calls, placements);
  const double difference = models.covariance(total, total) + models.covariance(again, again) - 2 * models.covariance(total, again);
  EXPECT_NEAR(difference, 0, 1e-6 * models.covariance(total, total));
  EXPECT_GT(models.covariance(total, total), 0);
}

TEST(Locations, FewAreKept) {
  const std::vector<Location> all = {{{1, 2}, 3, 0}, {{1.001, 2}, 4, 4}};
  const std::vector<Location> merged = merge(all);
  ASSERT_EQ(merged.size(), 2U);
  EXPECT_EQ(merged[1].base, 4);
}

TEST(Locations, ManyAreTakenTogetherWithoutLosingTime) {
  std::vector<Location> all;
  double base = 0, moment = 0;
  for (int i = 0; i < 20000; ++i) {
    all.push_back({{i * 1e-3}, 1.0 + i % 7, i % 2 == 0 ? 1.0 : 0.0});
    base += all.back().base;
    moment += all.back().base * all.back().at[0];
  }
  const std::vector<Location> merged = merge(all);
  EXPECT_LE(merged.size(), 500U);
  double sum = 0, extrapolated = 0, centre = 0;
  for (const Location& location : merged) {
    sum += location.base;
    extrapolated += location.extrapolated;
    centre += location.base * location.at[0];
  }
  EXPECT_NEAR(sum, base, 1e-6 * base);
  EXPECT_NEAR(centre, moment, 1e-6 * moment);
  EXPECT_EQ(extrapolated, 10000);
}

}  // namespace
}  // namespace flopcast::model
