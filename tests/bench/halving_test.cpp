#include "bench/baselines/halving.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "flopcast/search/ledger.hpp"
#include "flopcast/support/error.hpp"
#include "tests/search/noise.hpp"

namespace flopcast::bench {
namespace {

using namespace search;

double exact(std::size_t configuration) { return 1.0 + static_cast<double>(configuration); }

TEST(Halving, KeepsOneInFactorWithFactorTimesTheRounds) {
  std::vector<int> asked(9, 0);
  const HalvingResult result = halving(all(9), [&asked](std::size_t i) { return ++asked[i], exact(i); });
  EXPECT_THAT(asked, testing::ElementsAre(8, 8, 8, 2, 2, 2, 2, 2, 2));
  EXPECT_EQ(result.leader, 0U);
  EXPECT_EQ(result.ranking, all(9));
  EXPECT_EQ(result.ending, Ending::decided);
  EXPECT_EQ(result.evaluations, 36);
  EXPECT_EQ(result.rounds, 8);
}

TEST(Halving, MostlyFindsTheBestWithFewEvaluations) {
  for (const std::int64_t factor : {2, 3}) {
    int good = 0;
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
      const std::vector<double> truth = random_costs(96, seed);
      FakeMachine machine(truth, {0.05, 0.02, 0.1, 0.1}, 100 + seed);
      const HalvingResult result = halving(all(96), std::ref(machine), {.factor = factor, .seed = seed});
      good += truth[*result.leader] <= 1.02 * *std::min_element(truth.begin(), truth.end()) ? 1 : 0;
      EXPECT_LT(result.evaluations, 1500);
    }
    EXPECT_GE(good, 32);
  }
}

TEST(Halving, DropsConfigurationsWithInvalidCosts) {
  const HalvingResult result = halving(all(4), [](std::size_t i) { return i == 0 ? std::nan("") : exact(i); });
  EXPECT_EQ(result.leader, 1U);
  EXPECT_THAT(result.dropped, testing::ElementsAre(0U));
  EXPECT_EQ(halving(all(2), [](std::size_t) { return std::nan(""); }).ending, Ending::nothing_left);
}

TEST(Halving, RespectsTheBudget) {
  for (const std::int64_t evaluations : {0, 1, 10, 20}) {
    const HalvingResult result = halving(all(9), exact, {.limits = {.evaluations = evaluations}});
    EXPECT_EQ(result.evaluations, evaluations);
    EXPECT_EQ(result.ending, Ending::budget);
    EXPECT_EQ(result.leader.has_value(), evaluations > 0);
  }
}

TEST(Halving, OfOneConfigurationMeasuresIt) {
  EXPECT_EQ(halving({5}, exact).leader, 5U);
  EXPECT_EQ(halving({5}, exact).evaluations, 2);
}

TEST(Halving, RefusesInvalidOptions) {
  EXPECT_THROW(halving({}, exact), Error);
  EXPECT_THROW(halving({1}, exact, {.factor = 1}), Error);
  EXPECT_THROW(halving({1}, exact, {.first_rounds = 0}), Error);
}

}  // namespace
}  // namespace flopcast::bench
