#include "bench/baselines/study.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "flopcast/support/error.hpp"

namespace flopcast::bench {
namespace {

/// Configurations with fixed costs and 2 % of noise, on a clock that advances by these costs only; starting a process takes half a second.
class FakeLibrary {
 public:
  explicit FakeLibrary(std::vector<double> costs) : costs_(std::move(costs)) {}

  StudyServices sources() {
    StudyServices sources;
    sources.invoke = [this](std::size_t i) -> Iteration {
      now_ += 0.5;
      return [this, i] { return cost(i); };
    };
    sources.evaluator = [this] { return search::Evaluator([this](std::size_t i) { return cost(i); }); };
    sources.clock = [this] { return now_; };
    return sources;
  }

 private:
  double cost(std::size_t i) {
    const double seconds = costs_[i] * std::exp(0.02 * normal_(random_));
    now_ += seconds;
    return seconds;
  }

  std::vector<double> costs_;
  std::mt19937_64 random_{7};
  std::normal_distribution<double> normal_;
  Seconds now_ = 0;
};

const std::vector<double> costs = {0.013, 0.010, 0.016, 0.012, 0.019, 0.014};

TEST(Study, HasTheSevenTechniquesOfThePaperAndTwoMore) {
  EXPECT_THAT(study_techniques(),
              testing::ElementsAre("Default", "Single", "Confidence", "C+Inner", "C+Inner+R", "C+I+Outer", "C+I+O+R", "race", "halving"));
}

TEST(Study, FindsTheBestAndOrdersTheCosts) {
  FakeLibrary library(costs);
  const std::vector<StudyRow> rows = summarise(run_study(costs.size(), library.sources(), {}), {});
  ASSERT_EQ(rows.size(), 9U);
  EXPECT_EQ(rows[0].leader, 1U);
  EXPECT_EQ(rows[0].evaluations, 200 * 10 * static_cast<std::int64_t>(costs.size())) << "Table I";
  EXPECT_EQ(rows[0].speedup, 1);
  EXPECT_EQ(rows[7].technique, "race");
  EXPECT_EQ(rows[7].decided, 1);
  EXPECT_EQ(rows[7].leader, 1U);
  EXPECT_EQ(rows[7].success, 1);
  EXPECT_GT(rows[7].speedup, rows[5].speedup) << "cheaper than C+I+Outer";
  EXPECT_NEAR(rows[0].rate, 1 / 0.010, 2);
}

TEST(Study, CountsHowManyTrialsSucceed) {
  Study study;
  StudyRun run;
  run.technique = "race";
  for (const std::size_t leader : {0U, 1U, 1U, 2U}) {
    run.leader = leader;
    study.runs.push_back(run);
  }
  study.judged = {{0, 90.0}, {1, 99.0}, {2, 100.0}};
  StudyOptions options;
  options.techniques = {"race"};
  EXPECT_DOUBLE_EQ(summarise(study, options).front().success, 0.75);
  EXPECT_EQ(summarise(study, options).front().speedup, 0) << "Default wasn't run";
  EXPECT_EQ(summarise(study, options).front().leader, 1U) << "of the median trial, whose rate it is";
  EXPECT_EQ(summarise(study, options).front().rate, 99);
}

TEST(Study, MayJudgeByTheWholeSpace) {
  FakeLibrary library(costs);
  StudyOptions options;
  options.techniques = {"race"};
  EXPECT_EQ(run_study(costs.size(), library.sources(), options).judged.size(), 1U) << "what was found";
  options.judge_space = true;
  Study study = run_study(costs.size(), library.sources(), options);
  EXPECT_EQ(study.judged.size(), costs.size());
  study.runs.front().leader = 0;
  EXPECT_EQ(summarise(study, options).front().success, 0);
  EXPECT_NEAR(summarise(study, options).front().of_best, 10.0 / 13, 0.02);
}

TEST(Study, TellsSettingsOfOneTechniqueApart) {
  FakeLibrary library(costs);
  StudyOptions options;
  options.techniques = {"Default:invocations=1:iterations=20", "Default:invocations=2:iterations=20"};
  const std::vector<StudyRow> rows = summarise(run_study(costs.size(), library.sources(), options), options);
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
  const std::vector<StudyRow> rows = summarise(run_study(alike.size(), library.sources(), options), options);
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].decided, 0);
  EXPECT_NEAR(rows[0].seconds, 20, 0.2) << "an evaluation more at most";
  EXPECT_EQ(rows[1].decided, 0);
  EXPECT_NEAR(rows[1].seconds, 1, 0.2);
}

TEST(Study, RefusesUnknownTechniques) {
  FakeLibrary library(costs);
  StudyOptions options;
  options.techniques = {"luck"};
  EXPECT_THROW(run_study(2, library.sources(), options), Error);
  for (const char* text : {"race:iterations=2", "race:time=0s", "halving:time", "race:"}) {
    options.techniques = {text};
    EXPECT_THROW(run_study(2, library.sources(), options), Error) << text;
  }
  options.techniques = {"C+Inner:iterations=none"};
  EXPECT_THROW(run_study(2, library.sources(), options), Error);
}

}  // namespace
}  // namespace flopcast::bench
