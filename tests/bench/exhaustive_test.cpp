#include "bench/baselines/exhaustive.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <memory>

#include "flopcast/search/ledger.hpp"
#include "flopcast/support/error.hpp"
#include "tests/search/noise.hpp"

namespace flopcast::bench {
namespace {

using namespace search;

using testing::ElementsAre;

/// Returns invocations on one fake machine.
Invocation on(const std::shared_ptr<FakeMachine>& machine) {
  return [machine](std::size_t i) { return [machine, i] { return (*machine)(i); }; };
}

Invocation exact() {
  return [](std::size_t i) { return [i] { return 0.001 * static_cast<double>(i + 1); }; };
}

TEST(Exhaustive, DefaultTakesTheCountsOfTableI) {
  const ExhaustiveResult result = exhaustive(all(3), exact());
  EXPECT_EQ(result.evaluations, 3 * 200 * 10);
  EXPECT_EQ(result.leader, 0U);
  EXPECT_EQ(result.trials[1].invocations, 10);
  EXPECT_EQ(result.trials[1].iterations, 2000);
  EXPECT_DOUBLE_EQ(result.trials[1].rate, 500);
  EXPECT_EQ(result.trials[1].stop, Stop::count);
  EXPECT_EQ(result.ending, Ending::decided);
}

TEST(Exhaustive, StopsIterationsByTime) {
  ExhaustiveOptions options;
  options.iterations.time = 0.0995;
  EXPECT_EQ(exhaustive({0}, exact(), options).trials[0].iterations, 10 * 100);
}

TEST(Exhaustive, EveryTechniqueIsCheaperThanTheOneBefore) {
  const auto evaluations = [](std::string_view name) {
    const auto machine = std::make_shared<FakeMachine>(random_costs(30, 1), FakeMachine::Noise{}, 2);
    ExhaustiveOptions options = technique(name);
    options.iterations.time = 0;
    return exhaustive(all(30), on(machine), options).evaluations;
  };
  EXPECT_EQ(evaluations("Default"), 30 * 2000);
  EXPECT_EQ(evaluations("Single"), 30);
  EXPECT_LT(evaluations("Confidence"), evaluations("Default"));
  EXPECT_LT(evaluations("C+Inner"), evaluations("Confidence"));
  EXPECT_LT(evaluations("C+I+Outer"), evaluations("C+Inner"));
  EXPECT_LT(evaluations("C+I+O+R"), evaluations("C+Inner+R"));
}

TEST(Exhaustive, KeepsItsOrder) {
  const auto order = [](bool reversed) {
    ExhaustiveOptions options = technique("Single");
    options.reversed = reversed;
    std::vector<std::size_t> seen;
    for (const Trial& trial : exhaustive(all(20), exact(), options).trials) {
      seen.push_back(trial.configuration);
    }
    return seen;
  };
  EXPECT_EQ(order(false), all(20));
  EXPECT_EQ(order(true).front(), 19U);
}

TEST(Exhaustive, MissesTheBestThatStartsSlowly) {  // why the paper's rule fails: two slow values in one window of time end a configuration
  const Invocation warming = [](std::size_t i) {
    auto count = std::make_shared<int>(0);
    return [i, count] { return i == 0 ? 1.0 + 0.001 * (*count % 2) : (++*count <= 2 ? 1.5 + 0.001 * *count : 0.8); };
  };
  EXPECT_EQ(exhaustive({0, 1}, warming, technique("C+Inner")).leader, 0U);
  EXPECT_EQ(exhaustive({0, 1}, warming).leader, 1U);
  EXPECT_EQ(exhaustive({0, 1}, warming, technique("C+Inner:margin=0")).leader, 0U) << "condition 4 alone";
  EXPECT_EQ(exhaustive({0, 1}, warming, technique("C+Inner:margin=0:minimum-count=100")).leader, 1U) << "the count of Table IX";
}

TEST(Exhaustive, EndsInvocationsWhenTheyEnd) {
  int alive = 0, most = 0;
  const Invocation counted = [&](std::size_t) {
    most = std::max(most, ++alive);
    const std::shared_ptr<void> guard(nullptr, [&alive](void*) { --alive; });
    return [guard] { return 1e-3; };
  };
  exhaustive(all(3), counted);
  EXPECT_EQ(alive, 0);
  EXPECT_EQ(most, 1);
}

TEST(Exhaustive, DropsConfigurationsWithInvalidCosts) {
  const Invocation some = [](std::size_t i) { return [i] { return i == 1 ? std::nan("") : 1.0; }; };
  const ExhaustiveResult result = exhaustive(all(3), some, technique("Confidence"));
  EXPECT_EQ(result.trials[1].fault, "its cost is not a number");
  EXPECT_EQ(result.leader, 0U);
  EXPECT_EQ(result.ending, Ending::decided);
}

TEST(Exhaustive, RespectsBudgetAndInterruption) {
  ExhaustiveOptions options;
  options.limits.evaluations = 2500;
  const ExhaustiveResult result = exhaustive(all(3), exact(), options);
  EXPECT_EQ(result.evaluations, 2500);
  EXPECT_EQ(result.ending, Ending::budget);
  EXPECT_EQ(result.trials.size(), 2U);
  EXPECT_EQ(result.leader, 0U);
  options.limits.interrupted = [] { return true; };
  EXPECT_EQ(exhaustive(all(3), exact(), options).ending, Ending::interrupted);
  EXPECT_EQ(exhaustive(all(3), exact(), options).leader, std::nullopt);
}

TEST(Technique, IsKnownByName) {
  EXPECT_THAT(technique_names(), ElementsAre("Default", "Single", "Confidence", "C+Inner", "C+Inner+R", "C+I+Outer", "C+I+O+R"));
  EXPECT_TRUE(technique("C+I+O+R").outer);
  EXPECT_TRUE(technique("C+Inner+R").reversed);
  EXPECT_THROW(technique("C+X"), Error);
  EXPECT_THROW(exhaustive({}, exact()), Error);
}

TEST(Technique, TakesSettingsOfTheConditionsThatItHas) {
  const ExhaustiveOptions tuned = technique("Default:invocations=1:iterations=20:time=2min");
  EXPECT_EQ(tuned.invocations.count, 1);
  EXPECT_EQ(tuned.iterations.count, 20);
  EXPECT_EQ(tuned.iterations.time, 120);
  const ExhaustiveOptions lenient = technique("C+I+O+R:confidence=95%:margin=0.02:minimum-count=100");
  EXPECT_EQ(lenient.iterations.confidence, 0.95);
  EXPECT_EQ(lenient.invocations.confidence, 0.95);
  EXPECT_EQ(lenient.iterations.relative_margin, 0.02);
  EXPECT_EQ(lenient.invocations.relative_margin, 0) << "III-C.3 is of iterations";
  EXPECT_EQ(lenient.iterations.min_count, 100);
  EXPECT_EQ(lenient.invocations.min_count, 2);

  EXPECT_THROW(technique("Single:iterations=2"), Error);
  EXPECT_THROW(technique("Default:margin=0.02"), Error);
  EXPECT_THROW(technique("Confidence:minimum-count=100"), Error);
  EXPECT_THROW(technique("Default:rounds=3"), Error);
  EXPECT_THROW(technique("Default:iterations"), Error);
  EXPECT_THROW(technique("Default:iterations=0"), Error);
  EXPECT_THROW(technique("Confidence:confidence=1"), Error);
}

TEST(Technique, IterationsEndWhereSettingsSay) {
  EXPECT_EQ(exhaustive({0}, exact(), technique("Default:invocations=2:iterations=30")).evaluations, 60);
  EXPECT_EQ(exhaustive({0}, exact(), technique("Confidence:invocations=1")).evaluations, 2);
}

}  // namespace
}  // namespace flopcast::bench
