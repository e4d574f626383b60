#include "flopcast/contract/prediction/micro_benchmark.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "flopcast/contract/algorithms/algorithm.hpp"
#include "flopcast/contract/prediction/forecast.hpp"
#include "flopcast/support/error.hpp"

namespace flopcast::contract {
namespace {

using measure::Action;
using ::testing::DoubleEq;
using ::testing::ElementsAre;
using ::testing::Pair;

/// The paper's machine, with 6 MB of cache.
Environment penryn() {
  CacheLevel level;
  level.name = "L2";
  level.capacity_bytes = 786'432 * 8;
  Environment environment;
  environment.caches = {level};
  return environment;
}

Contraction example() { return make_contraction(parse_notation("abc=ai,ibc"), {{'a', 400}, {'b', 400}, {'c', 400}, {'i', 8}}); }

std::vector<std::pair<std::string, double>> counts(const std::string& name, Stage stage, const Contraction& contraction = example()) {
  BenchmarkOptions options;
  options.stage = stage;
  std::vector<std::pair<std::string, double>> all;
  for (const MicroBenchmark& benchmark : micro_benchmarks(find_algorithm(name, generate(contraction)), contraction, penryn(), options)) {
    all.emplace_back(benchmark.what, benchmark.calls);
  }
  return all;
}

TEST(MicroBenchmarks, AddUpToTheKernelCalls) {
  const double calls = 400.0 * 400.0;
  EXPECT_THAT(counts("ca-gemv", Stage::repeated), ElementsAre(Pair("kernel", calls)));
  EXPECT_THAT(counts("ca-gemv", Stage::distance), ElementsAre(Pair("kernel", calls)));
  EXPECT_THAT(counts("ca-gemv", Stage::failures), ElementsAre(Pair("kernel, new line", calls / 8), Pair("kernel", calls * 7 / 8)));
  for (const Contraction& contraction :
       {example(), make_contraction(parse_notation("abc=ai,ibc"), {{'a', 3}, {'b', 17}, {'c', 1}, {'i', 8}})}) {
    for (const Algorithm& algorithm : generate(contraction)) {
      double sum = 0;
      for (const auto& [what, count] : counts(algorithm.name(), Stage::first_iterations, contraction)) {
        EXPECT_GT(count, 0) << algorithm.name() << ' ' << what;
        sum += count;
      }
      EXPECT_NEAR(sum, kernel_calls(algorithm, contraction), 1e-6 * sum) << algorithm.name();
    }
  }
}

TEST(MicroBenchmarks, FirstIterationsOfAShortLoop) {
  // i has length 8: every 8th call is a first one; first calls of c (1 in 3200) are too rare to count
  EXPECT_THAT(counts("ci-ger", Stage::first_iterations), ElementsAre(Pair("kernel, first of i", 400.0), Pair("kernel", 2800.0)));
}

TEST(MicroBenchmarks, CopiesAreTimedToo) {
  const Contraction contraction =
      make_contraction(parse_notation("abc=ija,jbic"), {{'a', 100}, {'b', 100}, {'c', 100}, {'i', 8}, {'j', 8}});
  const std::vector<MicroBenchmark> all =
      micro_benchmarks(find_algorithm("ci'-gemm", generate(contraction)), contraction, penryn(), {.stage = Stage::first_iterations});
  const MicroBenchmark& copy = all.back();
  EXPECT_EQ(copy.what, "copy of A");
  EXPECT_EQ(copy.calls, 800);
  EXPECT_EQ(copy.experiment.timed.size(), 32U);
  EXPECT_DOUBLE_EQ(copy.scale, 100.0 / 32);
}

TEST(MicroBenchmarks, RecreateTheCacheOfExample6) {
  BenchmarkOptions options;
  options.stage = Stage::distance;
  const MicroBenchmark only = micro_benchmarks(find_algorithm("ca-gemv", generate(example())), example(), penryn(), options).front();
  std::vector<Action::What> what;
  std::int64_t other_bytes = 0;
  for (const Action& action : only.experiment.setup) {
    if (what.empty() || what.back() != Action::What::execute || action.what != Action::What::execute) {
      what.push_back(action.what);
    }
    other_bytes = std::max(other_bytes, action.what == Action::What::read ? action.region.bytes() : 0);
  }
  // C is cut off the list, so that it is flushed; then follow A, 163,200 other numbers, B, and small calls for the library's code and the
  // vector units
  EXPECT_THAT(what, ElementsAre(Action::What::fill, Action::What::flush, Action::What::read, Action::What::read, Action::What::read,
                                Action::What::execute));
  EXPECT_EQ(other_bytes, 163'200 * 8);
}

/// Returns times of 1 us per call, or 2 us if the setup flushes something.
std::vector<measure::Timings> fake(std::span<const measure::Experiment> experiments) {
  std::vector<measure::Timings> all;
  for (const measure::Experiment& experiment : experiments) {
    const bool cold = std::any_of(experiment.setup.begin(), experiment.setup.end(),
                                  [](const Action& action) { return action.what == Action::What::flush; });
    measure::Timings timings;
    timings.calls.assign(experiment.timed.size(), {{(cold ? 2e-6 : 1e-6), 1, 0, false}});
    all.push_back(timings);
  }
  return all;
}

TEST(AlgorithmForecast, AddsUpCallsTimesSeconds) {
  const std::vector<Algorithm> gemv = generate(example(), std::vector{BlasKernel::gemv});
  const Forecasts warm = forecast(gemv, example(), penryn(), {.stage = Stage::repeated}, fake);
  for (const AlgorithmForecast& one : warm.each) {
    EXPECT_THAT(one.seconds, DoubleEq(160'000 * 1e-6));
  }
  EXPECT_EQ(warm.benchmarks, 3U) << "bc and cb, ac and ca, ab and ba are the same call";
  EXPECT_EQ(warm.shared, 3U);
  const Algorithm ca = find_algorithm("ca-gemv", gemv);
  const Forecasts failing = forecast(std::vector{ca}, example(), penryn(), {.stage = Stage::failures}, fake);
  EXPECT_THAT(failing.each[0].seconds, DoubleEq(160'000 * (7.0 / 8 * 1e-6 + 1.0 / 8 * 2e-6)));
}

TEST(AlgorithmForecast, IntervalsAreThoseOfSingleRuns) {
  const std::vector<Algorithm> gemv = generate(example(), std::vector{BlasKernel::gemv});
  const auto noisy = [](std::span<const measure::Experiment> experiments) {
    std::vector<measure::Timings> all = fake(experiments);
    for (measure::Timings& timings : all) {
      timings.state.spread = 0.04;
    }
    return all;
  };
  const auto relative_width = [&](const Measure& measure, double session_deviation) {
    const AlgorithmForecast forecast =
        contract::forecast(gemv, example(), penryn(), {.stage = Stage::repeated}, measure, {}, session_deviation).each.front();
    return (forecast.interval.high - forecast.seconds) / forecast.seconds;
  };
  EXPECT_NEAR(relative_width(fake, 0), 1.96 * 0.09, 1e-4) << "all timings are equal";
  EXPECT_NEAR(relative_width(noisy, 0.12), 1.96 * std::hypot(0.04, 0.12, 0.09), 1e-4);
}

TEST(AlgorithmForecast, NamesMissingTimings) {
  const auto nothing = [](std::span<const measure::Experiment> experiments) {
    std::vector<measure::Timings> all(experiments.size());
    for (std::size_t i = 0; i < all.size(); ++i) {
      all[i].calls.resize(experiments[i].timed.size());
    }
    return all;
  };
  EXPECT_THROW(forecast(generate(example(), std::vector{BlasKernel::gemm}), example(), penryn(), {}, nothing), Error);
}

TEST(Ranking, PutsTheFastestFirstAndKnowsTies) {
  const AlgorithmForecast fast{1.0, {0, 3}, {}, 0.05}, slow{2.0, {0, 3}, {}, 0.05}, near{1.05, {0, 3}, {}, 0.05};
  EXPECT_THAT(ranking(std::vector{slow, fast, near}), ElementsAre(1U, 2U, 0U));
  EXPECT_TRUE(ties(fast, near));
  EXPECT_FALSE(ties(fast, slow));
}

}  // namespace
}  // namespace flopcast::contract
