#include "flopcast/tune/validate.hpp"

#include <gmock/gmock.h>

#include "flopcast/kernel/catalogue.hpp"
#include "flopcast/kernel/parse_call.hpp"

namespace flopcast::tune {
namespace {

/// Returns a ranking of three variants, predicted in this order; "3" has another block size with a longer predicted time.
Decision ranked(const std::vector<std::string>& variants) {
  Decision decision;
  decision.sizes = {100};
  Seconds seconds = 1;
  for (const std::string& variant : variants) {
    Standing standing;
    standing.best = {variant, {32, 2, 0}, seconds, {}, 0};
    decision.ranking.push_back(standing);
    decision.forecasts.push_back(standing.best);
    decision.forecasts.push_back({variant, {64, 2, 0}, seconds + 0.05, {}, 0});
    seconds += 0.1;
  }
  decision.chosen = decision.ranking.front().best;
  return decision;
}

/// A clock with which variant "3" takes 1 s, "2" 1.2 s and "1" 1.3 s.
struct World {
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

std::vector<Problem> problem() {
  Problem problem;
  problem.call = kernel::parse_call(kernel::require("dpotrf"), {{"n", "100"}});
  return {problem};
}

Runners runners() {
  Runners all;
  all.execute = [](const Call&, const Alternative& alternative) { return std::stoi(alternative.variant); };
  return all;
}

TEST(Validate, RunsEachVariantAtItsBestBlockSize) {
  World world;
  const std::vector<Decision> decisions = {ranked({"2", "3", "1"})};
  const std::vector<Check> checks = validate(problem(), decisions, std::ref(world), runners(), Extent::ranking);
  EXPECT_EQ(world.experiments, 3U);
  ASSERT_EQ(checks.size(), 1U);
  EXPECT_EQ(checks[0].best_variant, "3");
  EXPECT_DOUBLE_EQ(checks[0].chosen / checks[0].best, 1.2);
  const OrderCheck order = check_order(decisions[0], checks[0]);
  EXPECT_EQ(order.pairs, 3U);
  EXPECT_EQ(order.right, 2U) << "2 before 3 was wrong";
}

TEST(Validate, RunsEverythingIfAsked) {
  World world;
  const std::vector<Decision> decisions = {ranked({"3", "2", "1"})};
  const std::vector<Check> checks = validate(problem(), decisions, std::ref(world), runners(), Extent::all);
  EXPECT_EQ(world.experiments, 6U);
  EXPECT_EQ(check_order(decisions[0], checks[0]), (OrderCheck{3, 3}));
}

TEST(Validate, DoesNotWaitForWhatIsHopelesslySlow) {
  World world;
  std::vector<Decision> decisions = {ranked({"3", "2", "1"})};
  decisions[0].ranking[2].best.seconds = 9;
  decisions[0].forecasts[4].seconds = 9;
  const std::vector<Check> checks = validate(problem(), decisions, std::ref(world), runners(), Extent::ranking);
  EXPECT_EQ(world.experiments, 2U);
  EXPECT_EQ(check_order(decisions[0], checks[0]), (OrderCheck{1, 1}));
  validate(problem(), decisions, std::ref(world), runners(), Extent::all);
  EXPECT_EQ(world.experiments, 8U) << "unless all are asked for";
}

TEST(Validate, PairsThatHardlyDifferDoNotCount) {
  World world;
  const std::vector<Decision> decisions = {ranked({"3", "2", "1"})};
  const std::vector<Check> checks = validate(problem(), decisions, std::ref(world), runners(), Extent::ranking);
  EXPECT_EQ(check_order(decisions[0], checks[0], 0.1).pairs, 2U) << "1.3 / 1.2 is less than 10 %";
}

}  // namespace
}  // namespace flopcast::tune
