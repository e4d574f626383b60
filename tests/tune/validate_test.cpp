#include "flopcast/tune/validate.hpp"

#include <gmock/gmock.h>

#include <map>
#include <string>
#include <vector>

#include "flopcast/kernel/catalogue.hpp"
#include "flopcast/kernel/parse_call.hpp"

namespace flopcast::tuning {
namespace {

/// Returns a ranking of three variants, predicted in this order; "3" has another block size with a longer predicted time.
Decision ranked(const std::vector<std::string>& variants) {
  Decision decision;
  decision.sizes = {100};
  Seconds seconds = 1;
  for (const std::string& variant : variants) {
    VariantRank own;
    own.best = {variant, {32, 2, 0}, seconds, {}, 0};
    decision.ranking.push_back(own);
    decision.forecasts.push_back(own.best);
    decision.forecasts.push_back({variant, {64, 2, 0}, seconds + 0.05, {}, 0});
    seconds += 0.1;
  }
  decision.chosen = decision.ranking.front().best;
  return decision;
}

/// A clock with which variant "3" takes 1 s, "2" 1.2 s and "1" 1.3 s.
struct Clock {
  std::size_t experiments = 0;
  std::vector<measure::Timings> operator()(std::span<const measure::Experiment> all) {
    std::vector<measure::Timings> timings;
    for (const measure::Experiment& experiment : all) {
      ++experiments;
      const double digit = experiment.perform(experiment.timed.front());
      measure::Timings own;
      own.calls = {{{.seconds = digit == 3 ? 1 : digit == 2 ? 1.2 : 1.3}}};
      timings.push_back(own);
    }
    return timings;
  }
};

Problem problem() {
  Problem problem;
  problem.call = kernel::parse_call(kernel::require("dpotrf"), {{"n", "100"}});
  return problem;
}

Runners runners() {
  Runners all;
  all.execute = [](const Call&, const Alternative& alternative) { return std::stoi(alternative.variant); };
  return all;
}

/// Runs the routine of the library with blocks of 64 columns and returns the size of its workspace.
std::int64_t workspace_of(const char* routine, const std::map<std::string, std::string>& arguments) {
  Problem problem;
  problem.call = kernel::parse_call(kernel::require(routine), arguments);
  Decision decision;
  decision.forecasts = {{"", {64, 2, 0}, 1, {}, 0}};
  std::int64_t elements = 0;
  const auto measure = [&](std::span<const measure::Experiment> all) {
    const Call& call = all.front().timed.front();
    elements = call.arguments[static_cast<std::size_t>(call.routine->index("lwork"))];
    return std::vector<measure::Timings>(all.size());
  };
  static_cast<void>(validate(problem, decision, measure, runners(), Extent::all));
  return elements;
}

// A routine with less workspace quietly takes smaller blocks.
TEST(Validate, GivesRoutinesTheWorkspaceOfTheirBlocks) {
  EXPECT_GE(workspace_of("dgebrd", {{"m", "300"}, {"n", "200"}}), (300 + 200) * 64);
  EXPECT_GE(workspace_of("dgehrd", {{"n", "200"}}), 200 * 64 + 65 * 64);
  EXPECT_GE(workspace_of("dormqr", {{"side", "L"}, {"trans", "T"}, {"m", "200"}, {"n", "150"}, {"k", "100"}}), 150 * 64 + 65 * 64);
}

TEST(Validate, RunsEachVariantAtItsBestBlockSize) {
  Clock clock;
  const Decision decision = ranked({"2", "3", "1"});
  const Check check = validate(problem(), decision, std::ref(clock), runners(), Extent::ranking);
  EXPECT_EQ(clock.experiments, 3U);
  EXPECT_TRUE(check.complete);
  EXPECT_EQ(check.best.variant, "3");
  EXPECT_DOUBLE_EQ(check.chosen_seconds / check.best_seconds, 1.2);
  const OrderCheck order = check_order(decision, check);
  EXPECT_EQ(order.pairs, 3U);
  EXPECT_EQ(order.right, 2U) << "2 before 3 was wrong";
}

TEST(Validate, RunsEverythingIfAsked) {
  Clock clock;
  const Decision decision = ranked({"3", "2", "1"});
  const Check check = validate(problem(), decision, std::ref(clock), runners(), Extent::all);
  EXPECT_EQ(clock.experiments, 6U);
  EXPECT_EQ(check_order(decision, check), (OrderCheck{3, 3}));
}

TEST(Validate, ComparesWithRawWallTimes) {
  const auto run = [](std::span<const measure::Experiment> all) {
    measure::Timings own;
    own.calls = {{{.seconds = 1.3, .drift = 1.3}, {.seconds = 1.1, .drift = 1.1}, {.seconds = 1.6, .drift = 1, .discarded = true}}};
    return std::vector<measure::Timings>(all.size(), own);
  };
  Decision decision = ranked({"3"});
  decision.forecasts.resize(1);
  decision.forecasts[0].interval = {0.9, 1.4};
  const Check check = validate(problem(), decision, run, runners(), Extent::all);
  ASSERT_EQ(check.measured.size(), 1U);
  EXPECT_NEAR(check.measured[0].error, 1 / 1.3 - 1, 1e-12) << "disturbed runs count, too";
  EXPECT_NEAR(check.measured[0].normalised_error, 0, 1e-12);
  EXPECT_EQ(check.measured[0].within, 2U);
}

TEST(Validate, SkipsHopelesslySlowVariants) {
  Clock clock;
  Decision decision = ranked({"3", "2", "1"});
  decision.ranking[2].best.seconds = 9;
  decision.forecasts[4].seconds = 9;
  const Check check = validate(problem(), decision, std::ref(clock), runners(), Extent::ranking);
  EXPECT_EQ(clock.experiments, 2U);
  EXPECT_EQ(check_order(decision, check), (OrderCheck{1, 1}));
  validate(problem(), decision, std::ref(clock), runners(), Extent::all);
  EXPECT_EQ(clock.experiments, 8U) << "unless all are asked for";
}

TEST(Validate, PairsThatHardlyDifferDoNotCount) {
  Clock clock;
  const Decision decision = ranked({"3", "2", "1"});
  const Check check = validate(problem(), decision, std::ref(clock), runners(), Extent::ranking);
  EXPECT_EQ(check_order(decision, check, 0.1).pairs, 2U) << "1.3 / 1.2 is less than 10 %";
}

TEST(Validate, NamesRunsThatWereNotReached) {
  Clock clock;
  const Decision decision = ranked({"3", "2", "1"});
  const auto cut_short = [&clock](std::span<const measure::Experiment> all) {
    std::vector<measure::Timings> timings = clock(all);
    timings.back().calls.front().clear();
    return timings;
  };
  const Check check = validate(problem(), decision, cut_short, runners(), Extent::ranking);
  EXPECT_FALSE(check.complete);
  EXPECT_EQ(check.measured.size(), 2U);
}

TEST(Validate, ExpectsTheRepetitionsThatTheRuleAsksFor) {
  const measure::StopRule rule{.min_repetitions = 5, .max_repetitions = 25};
  Decision decision = ranked({"3", "2"});  // 1 s and 1.1 s, and with other block sizes 50 ms more
  EXPECT_NEAR(validation_seconds(problem(), decision, rule, Extent::ranking), 5 * 2.1, 0.1);
  EXPECT_NEAR(validation_seconds(problem(), decision, rule, Extent::all), 5 * 4.3, 0.1);
  for (Forecast& forecast : decision.forecasts) {
    forecast.seconds = 1e-4;
  }
  EXPECT_NEAR(validation_seconds(problem(), decision, rule, Extent::all), 4 * 25 * 2 * (1e-4 + 100 * 101 / 2 * 8e-9), 1e-6)
      << "short runs come in pairs, the first of which warms";
}

}  // namespace
}  // namespace flopcast::tuning
