#include "flopcast/tune/block_size.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <random>

#include "flopcast/algorithm/registry.hpp"
#include "flopcast/cache/placement.hpp"
#include "flopcast/kernel/catalogue.hpp"
#include "flopcast/kernel/parse_call.hpp"
#include "tests/synthetic_kernels.hpp"

namespace flopcast::tuning {
namespace {

Environment machine() { return tests::synthetic_environment(); }
Seconds truth(const Call& call) { return tests::synthetic_seconds(call); }
Seconds truth(const Trace& trace) { return tests::synthetic_seconds(trace); }

struct Fixture {
  std::mt19937_64 random{7};
  double noise = 0.01;
  double aliased =
      1;  ///< kernels whose leading dimensions are multiples of 1024 take so many times as long; those of 512 half as much longer
  Seconds clock = 0;
  std::size_t kept = 0;
  bool stop = false;

  [[nodiscard]] Seconds seconds(const Call& call) const {
    double factor = 1;
    for (const Argument& argument : call.routine->arguments) {
      const std::int64_t stride = argument.stride >= 0 ? call.arguments[static_cast<std::size_t>(argument.stride)] : 1;
      factor = std::max(factor, stride % 1024 == 0 ? aliased : stride % 512 == 0 ? (1 + aliased) / 2 : 1);
    }
    return truth(call) * factor;
  }

  BlockSizeServices services() {
    BlockSizeServices s;
    s.trace = [](const Call& call, const Alternative& alternative) {
      return algorithm::record(call, alternative.blocks, alternative.variant);
    };
    s.placements = [](const Trace& trace) { return cache::cache_state(trace, machine().caches, cache::Start::filled).placements; };
    s.sampling.measure = [this](std::span<const measure::Experiment> experiments) {
      std::vector<measure::Timings> all;
      std::normal_distribution<double> normal;
      for (const measure::Experiment& experiment : experiments) {
        measure::Timings timings;
        for (const Call& call : experiment.timed) {
          timings.calls.push_back(tests::noisy_repetitions(seconds(call), noise, normal, random, clock));
        }
        all.push_back(timings);
      }
      return all;
    };
    s.sampling.keep = [this](std::span<const Sample> samples) { kept += samples.size(); };
    s.sampling.elapsed = [this] { return clock; };
    s.sampling.interrupted = [this] { return stop; };
    return s;
  }

  /// Recording a trace takes `seconds` by the clock.
  BlockSizeServices slow_services(Seconds seconds) {
    BlockSizeServices s = services();
    s.trace = [this, seconds, record = s.trace](const Call& call, const Alternative& alternative) {
      clock += seconds;
      return record(call, alternative);
    };
    return s;
  }

  static std::vector<Problem> problems(std::initializer_list<std::int64_t> orders) {
    std::vector<Problem> all;
    for (const std::int64_t n : orders) {
      Problem problem;
      problem.call = kernel::parse_call(kernel::require("dgeqrf"), {{"m", std::to_string(n)}, {"n", std::to_string(n)}});
      problem.default_ = {.blocks = {32, 2, 128}};
      for (std::int64_t nb = 16; nb <= 160; nb += 16) {
        problem.alternatives.push_back({.blocks = {nb, 2, 128}});
      }
      all.push_back(problem);
    }
    return all;
  }
};

TEST(TuneBlockSize, FindsABlockSizeWithinTheRegretItStates) {
  Fixture fixture;
  const std::vector<Problem> problems = Fixture::problems({300, 800, 1600});
  model::OnDemandModels models(machine());
  const BlockSizeServices services = fixture.services();
  BlockSizeOptions options;
  options.tune_crossover = false;
  const BlockSizeResult result = tune_block_size(problems, machine(), models, services, options);
  ASSERT_EQ(result.decisions.size(), 3U);
  EXPECT_EQ(fixture.kept > 0, true);
  for (std::size_t p = 0; p < problems.size(); ++p) {
    Seconds best = INFINITY;
    for (const Alternative& alternative : problems[p].alternatives) {
      best = std::min(best, truth(services.trace(problems[p].call, alternative)));
    }
    const Decision& decision = result.decisions[p];
    const Seconds chosen = truth(services.trace(problems[p].call, {.blocks = decision.chosen.blocks}));
    EXPECT_LT(chosen / best - 1, 0.02);
    EXPECT_LT(chosen / best - 1, std::max(decision.regret, options.tie_margin) + 0.005);
    EXPECT_NEAR(decision.chosen.seconds / chosen, 1, 0.03);
    EXPECT_DOUBLE_EQ(decision.gain, decision.default_.seconds / decision.chosen.seconds - 1);
    EXPECT_EQ(decision.forecasts.size(), 10U) << "the default is one of the alternatives";
  }
}

/// A call costs more than its kernel's time, and not the same in programs as in samples.
TEST(TuneBlockSize, KnowsLessOfDifferencesBetweenManyCallsAndFew) {
  const auto regret = [](Seconds call_error) {
    Fixture fixture;
    model::OnDemandModels models(machine());
    BlockSizeOptions options;
    options.tune_crossover = false;
    options.call_error = call_error;
    return tune_block_size(Fixture::problems({300}), machine(), models, fixture.services(), options).decisions.at(0).regret;
  };
  EXPECT_GT(regret(1e-5), regret(0) + 0.01);
  EXPECT_GT(regret(1e-4), 2 * regret(1e-5));
}

/// Orders 512 and 1024 have leading dimensions whose columns are whole pages apart.
TEST(TuneBlockSize, SamplesAliasedLeadingDimensionsByThemselves) {
  Fixture fixture;
  fixture.aliased = 1.8;
  const std::vector<Problem> problems = Fixture::problems({500, 512, 1000, 1024});
  model::OnDemandModels models(machine());
  const BlockSizeServices services = fixture.services();
  BlockSizeOptions options;
  options.tune_crossover = false;
  const BlockSizeResult result = tune_block_size(problems, machine(), models, services, options);
  for (std::size_t p = 0; p < problems.size(); ++p) {
    for (const Forecast& forecast : result.decisions.at(p).forecasts) {
      Seconds expected = 0;
      for (const Call& call : services.trace(problems[p].call, {.blocks = forecast.blocks}).calls) {
        expected += fixture.seconds(call);
      }
      EXPECT_NEAR(forecast.seconds / expected, 1, 0.05) << problems[p].call.arguments[0] << " " << forecast.blocks.nb;
      EXPECT_LT(forecast.interval.low, expected);
      EXPECT_GT(forecast.interval.high, expected);
      EXPECT_LT(forecast.extrapolated, 0.05);
    }
  }
}

/// With the default crossover of 128, a problem of order 100 isn't blocked, and one of order 200 hardly is. Block sizes that are best with
/// a lower crossover don't show.
TEST(TuneBlockSize, FindsTheBestOfAllPairsOfSmallProblems) {
  Fixture fixture;
  const std::vector<Problem> problems = Fixture::problems({100, 200});
  model::OnDemandModels models(machine());
  const BlockSizeServices services = fixture.services();
  const BlockSizeOptions options;
  const BlockSizeResult result = tune_block_size(problems, machine(), models, services, options);
  for (std::size_t p = 0; p < problems.size(); ++p) {
    Seconds best = INFINITY;
    for (Alternative alternative : problems[p].alternatives) {
      for (const std::int64_t nx : options.crossovers) {
        alternative.blocks.nx = nx;
        best = std::min(best, truth(services.trace(problems[p].call, alternative)));
      }
    }
    const Seconds chosen = truth(services.trace(problems[p].call, {.blocks = result.decisions.at(p).chosen.blocks}));
    EXPECT_LT(chosen / best - 1, 0.02) << problems[p].call.arguments[0];
  }
}

TEST(TuneBlockSize, KeepsTheDefaultUnlessAnotherIsFasterForSure) {
  const auto chosen = [](double block_error) {
    Fixture fixture;
    std::vector<Problem> problems = Fixture::problems({1600});
    problems[0].default_->blocks.nb = 128;
    model::OnDemandModels models(machine());
    BlockSizeOptions options;
    options.tune_crossover = false;
    options.block_error = block_error;
    return tune_block_size(problems, machine(), models, fixture.services(), options).decisions.at(0);
  };
  EXPECT_GT(chosen(0).gain, 0.02);
  EXPECT_NE(chosen(0).chosen.blocks.nb, 128);
  const Decision unsure = chosen(1);
  EXPECT_EQ(unsure.chosen.blocks.nb, 128);
  EXPECT_EQ(unsure.gain, 0);
  EXPECT_GT(unsure.regret, 0.02) << "what may be missed by staying is said";
}

/// Whatever runs at that moment, nothing is recorded, measured, fitted or decided any more.
TEST(TuneBlockSize, EndsAtOnceWhenInterrupted) {
  for (const int calls_before : {0, 3, 12}) {
    Fixture fixture;
    BlockSizeServices services = fixture.services();
    int calls = 0;
    const auto count = [&] {
      EXPECT_FALSE(fixture.stop) << calls_before;
      fixture.stop = ++calls > calls_before;
    };
    services.trace = [count, record = services.trace](const Call& call, const Alternative& alternative) {
      count();
      return record(call, alternative);
    };
    services.sampling.measure = [count, measure = services.sampling.measure](std::span<const measure::Experiment> experiments) {
      count();
      return measure(experiments);
    };
    fixture.stop = calls_before == 0;
    model::OnDemandModels models(machine());
    const BlockSizeResult result = tune_block_size(Fixture::problems({400}), machine(), models, services, {});
    EXPECT_FALSE(result.complete);
    EXPECT_TRUE(result.decisions.empty());
    EXPECT_LE(calls, calls_before + 1);
  }
}

/// Recording an alternative takes 0.2 s by this clock, and the time for measuring is short.
TEST(TuneBlockSize, CountsRecordingAsPartOfItsTime) {
  Fixture fixture;
  const BlockSizeServices services = fixture.slow_services(0.2);
  BlockSizeOptions options;
  options.time_budget = 2;
  model::OnDemandModels models(machine());
  const std::vector<Problem> problems = Fixture::problems({300, 600});
  const BlockSizeResult result = tune_block_size(problems, machine(), models, services, options);
  EXPECT_LE(fixture.clock, 2.2);
  ASSERT_EQ(result.decisions.size(), 2U);
  EXPECT_LT(result.decisions[0].chosen.extrapolated, 0.5) << "something was measured too";
}

/// Recording takes so long by this clock that the time budget reaches few of the ten block sizes.
TEST(TuneBlockSize, SaysHowManyCandidatesItConsideredAndBoundsTheRegretOverAll) {
  Fixture fixture;
  const BlockSizeServices services = fixture.slow_services(0.3);
  BlockSizeOptions options;
  options.tune_crossover = false;
  const std::vector<Problem> problems = Fixture::problems({600});
  const auto tune = [&](Seconds budget) {
    fixture.clock = 0;
    options.time_budget = budget;
    model::OnDemandModels models(machine());
    return tune_block_size(problems, machine(), models, services, options).decisions.at(0);
  };
  const Decision few = tune(1), all = tune(60);
  EXPECT_EQ(few.candidates, 10U);
  EXPECT_LE(few.considered, 2U);
  EXPECT_EQ(few.considered, few.forecasts.size());
  EXPECT_TRUE(is_undecided(few)) << few.regret;
  EXPECT_EQ(considered_text(all), "10 of 10");
  EXPECT_FALSE(is_undecided(all)) << all.regret;
  EXPECT_GT(all.samples, few.samples);
  EXPECT_GT(few.samples, 0U);
}

TEST(TuneBlockSize, SpreadsTheCandidatesThatTheTimeBudgetReaches) {
  Fixture fixture;
  const BlockSizeServices services = fixture.slow_services(0.1);
  BlockSizeOptions options;
  options.tune_crossover = false;
  options.time_budget = 2;
  const std::vector<Problem> problems = Fixture::problems({300, 600});
  model::OnDemandModels models(machine());
  const BlockSizeResult result = tune_block_size(problems, machine(), models, services, options);
  for (const Decision& decision : result.decisions) {
    std::vector<std::int64_t> considered;
    for (const Forecast& forecast : decision.forecasts) {
      considered.push_back(forecast.blocks.nb);
    }
    EXPECT_THAT(considered, ::testing::IsSupersetOf({16, 32, 160})) << decision.sizes[0];
    EXPECT_LT(considered.size(), 6U);
  }
}

TEST(TuneBlockSize, EarlierSamplesLeaveItMoreTimeForCandidates) {
  Fixture fixture;
  const std::vector<Problem> problems = Fixture::problems({600});
  BlockSizeOptions options;
  options.tune_crossover = false;
  model::OnDemandModels models(machine());
  tune_block_size(problems, machine(), models, fixture.services(), options);
  const BlockSizeServices services = fixture.slow_services(0.1);
  const auto considered = [&](Seconds budget, model::OnDemandModels known) {
    fixture.clock = 0;
    options.time_budget = budget;
    return tune_block_size(problems, machine(), known, services, options).decisions.at(0).considered;
  };
  EXPECT_LE(considered(1.2, model::OnDemandModels(machine())), 5U);
  EXPECT_GE(considered(1.2, models), 8U);
  EXPECT_EQ(considered(0, models), 10U) << "without time for measuring, what is known decides among all";
}

TEST(TuneBlockSize, MeasuresNothingTwice) {
  Fixture fixture;
  const std::vector<Problem> problems = Fixture::problems({600});
  model::OnDemandModels models(machine());
  const BlockSizeResult first = tune_block_size(problems, machine(), models, fixture.services(), {});
  const BlockSizeResult second = tune_block_size(problems, machine(), models, fixture.services(), {});
  EXPECT_LT(second.cost.segments * 4, first.cost.segments + 4) << "what is known already is not sampled again";
}

/// Returns every variant of the triangular inverse; variants 4 and 8 do three times the operations.
std::vector<Problem> inverses(std::initializer_list<std::int64_t> orders) {
  std::vector<Problem> all;
  for (const std::int64_t n : orders) {
    Problem problem;
    problem.call = kernel::parse_call(kernel::require("dtrtri"), {{"n", std::to_string(n)}});
    for (const algorithm::Algorithm* variant : algorithm::variants(*problem.call.routine)) {
      for (std::int64_t nb = 16; nb <= 160; nb += 16) {
        problem.alternatives.push_back({variant->variant, {nb, 2, 0}});
      }
    }
    all.push_back(problem);
  }
  return all;
}

Seconds best_time(const Problem& problem, const std::string& variant, const BlockSizeServices& services) {
  Seconds best = INFINITY;
  for (const Alternative& alternative : problem.alternatives) {
    if (alternative.variant == variant) {
      best = std::min(best, truth(services.trace(problem.call, alternative)));
    }
  }
  return best;
}

TEST(TuneVariants, RanksThemInTheirTrueOrder) {
  Fixture fixture;
  const std::vector<Problem> problems = inverses({300, 900});
  model::OnDemandModels models(machine());
  const BlockSizeServices services = fixture.services();
  BlockSizeOptions options;
  options.coarse_blocks = 4;
  const BlockSizeResult result = tune_block_size(problems, machine(), models, services, options);
  ASSERT_EQ(result.decisions.size(), 2U);
  for (std::size_t p = 0; p < problems.size(); ++p) {
    const std::vector<VariantRank>& ranking = result.decisions[p].ranking;
    ASSERT_EQ(ranking.size(), 9U);
    EXPECT_EQ(ranking.front().best, result.decisions[p].chosen);
    EXPECT_EQ(ranking.front().rank, 1U);
    Seconds fastest = INFINITY;
    for (const VariantRank& variant : ranking) {
      fastest = std::min(fastest, best_time(problems[p], variant.best.variant, services));
    }
    const Seconds chosen = truth(services.trace(problems[p].call, {ranking.front().best.variant, ranking.front().best.blocks}));
    EXPECT_LT(chosen / fastest - 1, 0.02);
    for (std::size_t i = 0; i < ranking.size(); ++i) {
      const Forecast& best = ranking[i].best;
      EXPECT_EQ(ranking[i].resident_bytes, resident_bytes(services.trace(problems[p].call, {best.variant, best.blocks}))) << best.variant;
      for (std::size_t j = i + 1; j < ranking.size(); ++j) {
        const Seconds before = best_time(problems[p], ranking[i].best.variant, services);
        const Seconds after = best_time(problems[p], ranking[j].best.variant, services);
        EXPECT_LT(before, 1.03 * after) << ranking[i].best.variant << " before " << ranking[j].best.variant;
        EXPECT_LE(ranking[i].rank, ranking[j].rank);
      }
    }
  }
}

TEST(TuneVariants, TiesAreMutual) {
  Fixture fixture;
  model::OnDemandModels models(machine());
  const BlockSizeResult result = tune_block_size(inverses({400}), machine(), models, fixture.services(), {});
  const std::vector<VariantRank>& ranking = result.decisions[0].ranking;
  const auto ties = [&](const VariantRank& a, const VariantRank& b) {
    return std::find(a.ties.begin(), a.ties.end(), b.best.variant) != a.ties.end();
  };
  for (const VariantRank& a : ranking) {
    EXPECT_FALSE(ties(a, a));
    for (const VariantRank& b : ranking) {
      EXPECT_EQ(ties(a, b), ties(b, a)) << a.best.variant << ' ' << b.best.variant;
    }
  }
}

TEST(TuneVariants, HopelessVariantsAreNotMeasuredClosely) {
  Fixture fixture;
  model::OnDemandModels models(machine());
  BlockSizeOptions options;
  options.coarse_blocks = 4;
  const BlockSizeResult result = tune_block_size(inverses({900}), machine(), models, fixture.services(), options);
  std::map<std::string, std::size_t> count;
  for (const Forecast& forecast : result.decisions[0].forecasts) {
    ++count[forecast.variant];
  }
  EXPECT_EQ(count.at("4"), 4U);
  EXPECT_EQ(count.at("8"), 4U);
  EXPECT_GT(count.at(result.decisions[0].chosen.variant), 4U);
}

}  // namespace
}  // namespace flopcast::tuning
