#include "flopcast/roofline/study.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <random>

#include "flopcast/roofline/study_json.hpp"
#include "flopcast/support/error.hpp"
#include "flopcast/support/json.hpp"

namespace flopcast::roofline {
namespace {

/// Configurations with fixed costs and 2 % of noise, on a clock that advances by these costs only; starting a process takes half a second.
class FakeLibrary {
 public:
  explicit FakeLibrary(std::vector<double> costs) : costs_(std::move(costs)) {}

  StudySources sources() {
    StudySources sources;
    sources.invoke = [this](std::size_t i) -> search::Iteration {
      now_ += 0.5;
      return [this, i] { return cost(i); };
    };
    sources.evaluator = [this] { return search::Evaluator([this](std::size_t i) { return cost(i); }); };
    sources.clock = [this] { return now_; };
    sources.interrupted = [this] { return now_ > deadline_; };
    sources.keep = [this](const StudyState& state) { kept_ = state; };
    return sources;
  }
  void allow(Seconds seconds) { deadline_ = now_ + seconds; }
  [[nodiscard]] const StudyState& kept() const { return kept_; }
  [[nodiscard]] Seconds now() const { return now_; }

 private:
  double cost(std::size_t i) {
    const double seconds = costs_[i] * std::exp(0.02 * normal_(random_));
    now_ += seconds;
    return seconds;
  }

  std::vector<double> costs_;
  std::mt19937_64 random_{7};
  std::normal_distribution<double> normal_;
  Seconds now_ = 0, deadline_ = 1e300;
  StudyState kept_;
};

const std::vector<double> costs = {0.013, 0.010, 0.016, 0.012, 0.019, 0.014};

StudyOptions all_techniques() {
  StudyOptions options;
  options.techniques = study_techniques();
  return options;
}

TEST(Study, HasTheSevenTechniquesOfThePaperAndTwoMore) {
  EXPECT_THAT(study_techniques(),
              testing::ElementsAre("Default", "Single", "Confidence", "C+Inner", "C+Inner+R", "C+I+Outer", "C+I+O+R", "race", "halving"));
}

TEST(Study, FindsTheBestAndOrdersTheCosts) {
  FakeLibrary library(costs);
  StudyState state;
  ASSERT_TRUE(run_study(costs.size(), library.sources(), all_techniques(), state));
  const std::vector<StudyRow> rows = summarise(state, all_techniques());
  ASSERT_EQ(rows.size(), 9U);
  EXPECT_EQ(rows[0].leader, 1U);
  EXPECT_EQ(rows[0].evaluations, 200 * 10 * static_cast<std::int64_t>(costs.size())) << "Table I";
  EXPECT_EQ(rows[0].speedup, 1);
  EXPECT_EQ(rows[7].technique, "race");
  EXPECT_EQ(rows[7].settled, 1);
  EXPECT_EQ(rows[7].leader, 1U);
  EXPECT_EQ(rows[7].success, 1);
  EXPECT_GT(rows[7].speedup, rows[5].speedup) << "cheaper than C+I+Outer";
  EXPECT_NEAR(rows[0].rate, 1 / 0.010, 2);
}

TEST(Study, GoesOnWhereItWasInterrupted) {
  FakeLibrary library(costs);
  StudyOptions options = all_techniques();
  options.techniques = {"Default", "race"};
  StudyState state;
  int pieces = 0;
  for (bool done = false; !done; ++pieces) {
    library.allow(60);
    done = run_study(costs.size(), library.sources(), options, state);
    state = nlohmann::json(library.kept()).get<StudyState>();  // as a later process would have it
    ASSERT_LT(pieces, 20);
  }
  EXPECT_GT(pieces, 2);
  ASSERT_EQ(state.runs.size(), 2U);
  EXPECT_EQ(state.runs[0].technique, "race") << "it comes to its end first";
  const StudyRun& slow = state.runs[1];
  EXPECT_EQ(slow.finished.size(), costs.size());
  for (std::size_t i = 0; i < costs.size(); ++i) {
    EXPECT_EQ(slow.finished[i].configuration, i) << "none twice, none left out";
    EXPECT_NEAR(slow.finished[i].rate, 1 / costs[i], 0.01 / costs[i]);
  }
  EXPECT_LT(slow.seconds, library.now()) << "what was cut short isn't charged";
}

/// Default takes over 160 s, Single and the race one or two.
TEST(Study, HasARowForEachTechniqueWhenItsTimeIsUp) {
  FakeLibrary library(costs);
  StudyOptions options;
  options.techniques = {"Default", "Confidence", "race", "Single"};
  StudySources sources = library.sources();
  sources.until = 60;
  StudyState state;
  EXPECT_FALSE(run_study(costs.size(), sources, options, state));
  EXPECT_LT(library.now(), 60 + 0.6) << "one evaluation in a new process more at most";
  EXPECT_THAT(library.kept().judged, testing::IsEmpty()) << "the next run judges what it has found by then";
  options.techniques = {"Default", "race", "Single"};
  state = {};
  sources.until = library.now() + 60;
  EXPECT_FALSE(run_study(costs.size(), sources, options, state));
  const std::vector<StudyRow> rows = summarise(state, options);
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_EQ(rows[0].trials, 0);
  EXPECT_TRUE(rows[0].begun);
  EXPECT_EQ(rows[0].finished, 1U);
  EXPECT_EQ(rows[0].leader, 0U) << "the best so far";
  EXPECT_NEAR(rows[0].found, 1 / costs[0], 1);
  EXPECT_GT(rows[0].rate, 0) << "judged all the same";
  EXPECT_EQ(rows[0].speedup, 0);
  EXPECT_EQ(rows[1].trials, 1);
  EXPECT_EQ(rows[1].leader, 1U);
  EXPECT_EQ(rows[1].success, 1);
  EXPECT_EQ(rows[2].trials, 1);
  options.techniques.emplace_back("Confidence");
  EXPECT_FALSE(summarise(state, options).back().begun);
}

TEST(Study, TakesTheShapesInTheOrderThatIsAskedFor) {
  FakeLibrary library(costs);
  StudyOptions options;
  options.techniques = {"Single", "C+Inner+R"};
  options.order = search::Order::shuffled;
  options.trials = 2;
  StudyState state;
  ASSERT_TRUE(run_study(costs.size(), library.sources(), options, state));
  const auto order = [](const StudyRun& run) {
    std::vector<std::size_t> taken;
    for (const FinishedTrial& trial : run.finished) {
      taken.push_back(trial.configuration);
    }
    return taken;
  };
  EXPECT_THAT(order(state.runs[0]), testing::UnorderedElementsAre(0U, 1U, 2U, 3U, 4U, 5U));
  EXPECT_EQ(order(state.runs[0]), order(state.runs[1])) << "techniques are compared in the same orders";
  EXPECT_NE(order(state.runs[0]), order(state.runs[2])) << "every trial has an order of its own";
}

TEST(Study, CountsHowManyTrialsSucceed) {
  StudyState state;
  StudyRun run;
  run.technique = "race";
  run.complete = true;
  for (const std::size_t leader : {0U, 1U, 1U, 2U}) {
    run.leader = leader;
    state.runs.push_back(run);
    ++run.trial;
  }
  state.judged = {{0, 90.0}, {1, 99.0}, {2, 100.0}};
  StudyOptions options;
  options.techniques = {"race"};
  EXPECT_DOUBLE_EQ(summarise(state, options).front().success, 0.75);
  EXPECT_EQ(summarise(state, options).front().speedup, 0) << "Default wasn't run";
  EXPECT_EQ(summarise(state, options).front().leader, 1U) << "of the median trial, whose rate it is";
  EXPECT_EQ(summarise(state, options).front().rate, 99);
}

TEST(Study, MayJudgeByTheWholeSpace) {
  FakeLibrary library(costs);
  StudyOptions options;
  options.techniques = {"race"};
  StudyState state;
  StudyRun wrong;
  wrong.technique = "race";
  wrong.leader = 0;
  wrong.complete = true;
  state.runs = {wrong};
  ASSERT_TRUE(run_study(costs.size(), library.sources(), options, state));
  EXPECT_EQ(summarise(state, options).front().success, 1) << "it is the best of what was found";
  options.judge_space = true;
  ASSERT_TRUE(run_study(costs.size(), library.sources(), options, state)) << "what was judged before isn't all";
  EXPECT_EQ(summarise(state, options).front().success, 0);
  EXPECT_NEAR(summarise(state, options).front().of_best, 10.0 / 13, 0.02);
  EXPECT_EQ(state.judged.size(), costs.size());
}

TEST(Study, ClaimsNoSuccessBeforeItHasJudged) {
  StudyState state;
  StudyRun run;
  run.technique = "Single";
  run.complete = true;
  state.runs = {run};
  StudyOptions options;
  options.techniques = {"Single"};
  EXPECT_EQ(summarise(state, options).front().success, 0);
}

TEST(Study, TellsSettingsOfOneTechniqueApart) {
  FakeLibrary library(costs);
  StudyOptions options;
  options.techniques = {"Default:invocations=1:iterations=20", "Default:invocations=2:iterations=20"};
  StudyState state;
  ASSERT_TRUE(run_study(costs.size(), library.sources(), options, state));
  const std::vector<StudyRow> rows = summarise(state, options);
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].technique, "Default:invocations=1:iterations=20");
  EXPECT_EQ(rows[0].evaluations, 20 * static_cast<std::int64_t>(costs.size()));
  EXPECT_EQ(rows[1].evaluations, 40 * static_cast<std::int64_t>(costs.size()));
  EXPECT_EQ(rows[0].speedup, 0) << "that isn't Default as published";
}

TEST(Study, ASearchInOneProcessMayHaveATimeOfItsOwn) {
  const std::vector<double> alike(40, 0.1);  // none is ever found to be the best to 0.1 %
  FakeLibrary library(alike);
  StudyOptions options;
  options.tolerance = 0.001;
  options.techniques = {"race:time=20s", "halving:time=1s"};
  StudyState state;
  ASSERT_TRUE(run_study(alike.size(), library.sources(), options, state)) << "what was found by then counts";
  const std::vector<StudyRow> rows = summarise(state, options);
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].settled, 0);
  EXPECT_NEAR(rows[0].seconds, 20, 0.2) << "an evaluation more at most";
  EXPECT_EQ(rows[1].settled, 0);
  EXPECT_NEAR(rows[1].seconds, 1, 0.2);
  EXPECT_EQ(nlohmann::json(state).get<StudyState>(), state);
}

TEST(Study, RefusesUnknownTechniquesAndDamagedStates) {
  FakeLibrary library(costs);
  StudyOptions options;
  options.techniques = {"luck"};
  StudyState state;
  EXPECT_THROW(run_study(2, library.sources(), options, state), Error);
  for (const char* text : {"race:iterations=2", "race:time=0s", "halving:time", "race:"}) {
    options.techniques = {text};
    EXPECT_THROW(run_study(2, library.sources(), options, state), Error) << text;
  }
  options.techniques = {"C+Inner:iterations=none"};
  EXPECT_THROW(run_study(2, library.sources(), options, state), Error);
  EXPECT_THROW(nlohmann::json::parse(R"({"runs": [{"trial": 1}]})").get<StudyState>(), MemberError);
}

TEST(Study, AStateOfAnotherStudyIsRefused) {
  StudyState state;
  StudyRun run;
  run.leader = 3;
  run.finished = {{2, 1e9}};
  state.runs = {run};
  EXPECT_NO_THROW(require_within(state, 4));
  EXPECT_THROW(require_within(state, 3), Error);
  state.judged[4] = 1;
  EXPECT_THROW(require_within(state, 4), Error);
}

}  // namespace
}  // namespace flopcast::roofline
