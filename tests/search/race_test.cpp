#include "flopcast/search/race.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <optional>
#include <random>
#include <stdexcept>
#include <string>

#include "flopcast/core/statistics.hpp"
#include "flopcast/support/error.hpp"
#include "noise.hpp"

namespace flopcast::search {
namespace {

using testing::ElementsAre;
using testing::UnorderedElementsAre;

double exact(std::size_t configuration) { return 1.0 + static_cast<double>(configuration); }

/// Returns the number of trials in which a race that is cut short has a leader within the tolerance of the best.
int good_when_cut_short(const FakeMachine::Noise& noise, int trials, std::int64_t evaluations) {
  int good = 0;
  for (int trial = 0; trial < trials; ++trial) {
    const auto seed = static_cast<std::uint64_t>(trial);
    const std::vector<double> truth = random_costs(96, seed);
    FakeMachine machine(truth, noise, 1000 + seed);
    RaceOptions options;
    options.seed = seed;
    options.limits.evaluations = evaluations;
    const RaceResult result = race(all(96), std::ref(machine), options);
    good += truth[*result.leader] * (1 - options.tolerance) <= *std::min_element(truth.begin(), truth.end()) ? 1 : 0;
    EXPECT_EQ(result.ending, Ending::budget);
    EXPECT_EQ(result.ties.front(), result.leader);
  }
  return good;
}

class RaceUnderNoise : public testing::TestWithParam<FakeMachine::Noise> {};

TEST_P(RaceUnderNoise, FindsTheBestAtThePromisedRateAndCheaply) {
  constexpr int trials = 40;
  const Outcome outcome = race_many(GetParam(), trials);
  EXPECT_GE(outcome.good, trials * 95 / 100);
  EXPECT_GE(outcome.kept, trials * 95 / 100);
  EXPECT_LT(outcome.evaluations / trials, 96 * 2000 / 50);  // the paper's Default takes 2000 evaluations of each shape
}

std::string name_of_noise(const testing::TestParamInfo<FakeMachine::Noise>& noise) {
  constexpr std::array<const char*, 4> names = {"Normal", "HeavyTails", "TwoStates", "AllAndDrift"};
  return names.at(noise.index);
}

INSTANTIATE_TEST_SUITE_P(Noises, RaceUnderNoise,
                         testing::Values(FakeMachine::Noise{}, FakeMachine::Noise{0.05, 0.03, 0, 0}, FakeMachine::Noise{0.03, 0, 0.25, 0},
                                         FakeMachine::Noise{0.05, 0.03, 0.2, 0.3}),
                         name_of_noise);

/// Medians take long to decide a race in which half of the evaluations are slowed down. The other evaluations show which candidate is the
/// best.
TEST(Race, CutShortKnowsTheBestOfABusyMachine) {
  constexpr int trials = 40;
  EXPECT_GE(good_when_cut_short({0.01, 0, 0, 0, 0.5}, trials, 3 * 96), trials * 85 / 100);
  EXPECT_GE(good_when_cut_short({0.01, 0, 0, 0, 0.5}, trials, 800), trials * 95 / 100);
  EXPECT_GE(good_when_cut_short({0.01, 0, 0, 0, 0.7}, trials, 800), trials * 90 / 100);
}

/// Least costs would mislead where noise has both directions.
TEST(Race, CutShortUsesMediansWhereTheyTellMost) {
  constexpr int trials = 60;
  EXPECT_GE(good_when_cut_short({0.1, 0, 0, 0}, trials, 1000), trials * 65 / 100);  // least costs: 28 of 60
}

TEST(Race, KeepsItsPromiseWhereEveryRivalIsJustBeyondTheTolerance) {
  constexpr int trials = 100;
  int good = 0;
  for (std::uint64_t seed = 0; seed < trials; ++seed) {
    FakeMachine machine({1.022, 1.022, 1.0, 1.022, 1.022, 1.022}, {0.1, 0.05, 0.1, 0}, seed);
    RaceOptions options;
    options.error_probability = 0.2;
    options.seed = seed;
    good += race(all(6), std::ref(machine), options).leader == 2U ? 1 : 0;
  }
  EXPECT_GE(good, trials * 8 / 10);
}

/// Each configuration has its own slow mode, which no pairing removes, in up to 40 % of its evaluations.
TEST(Race, FindsTheBestMedianOfBimodalConfigurations) {
  constexpr int trials = 40;
  constexpr std::size_t count = 24;
  int good = 0;
  for (std::uint64_t seed = 0; seed < trials; ++seed) {
    std::mt19937_64 random(seed);
    std::uniform_real_distribution<double> uniform;
    std::normal_distribution<double> normal;
    const std::vector<double> fast = random_costs(count, seed);
    std::vector<double> slow_share(count), medians(count);
    std::generate(slow_share.begin(), slow_share.end(), [&] { return 0.4 * uniform(random); });
    const auto cost = [&](std::size_t i) {
      return fast[i] * (uniform(random) < slow_share[i] ? 1.6 : 1.0) * std::exp(0.02 * normal(random));
    };
    for (std::size_t i = 0; i < count; ++i) {
      std::vector<double> costs(4001);
      std::generate(costs.begin(), costs.end(), [&] { return cost(i); });
      medians[i] = median(costs);
    }
    RaceOptions options;
    options.seed = seed;
    const RaceResult result = race(all(count), cost, options);
    good += medians[*result.leader] * (1 - options.tolerance) <= *std::min_element(medians.begin(), medians.end()) ? 1 : 0;
  }
  EXPECT_GE(good, trials * 95 / 100);
}

/// Tests the bound that comes with the leader, also of a race that is cut short: no other configuration gains more.
TEST(Race, BoundsTheRemainingGain) {
  constexpr int trials = 200;
  int wrong = 0;
  for (std::uint64_t seed = 0; seed < trials; ++seed) {
    const std::vector<double> truth = random_costs(24, seed);
    FakeMachine machine(truth, {0.1, 0.03, 0, 0}, 500 + seed);
    RaceOptions options;
    options.seed = seed;
    options.limits.evaluations = 24 * static_cast<std::int64_t>(4 + seed % 20);
    const RaceResult result = race(all(24), std::ref(machine), options);
    const double gain = 1 - *std::min_element(truth.begin(), truth.end()) / truth[*result.leader];
    wrong += gain > result.possible_gain ? 1 : 0;
  }
  EXPECT_LE(wrong, trials * 5 / 100);
}

TEST(Race, ReachesTheSameLeaderWithTheSameSeed) {
  const auto run = [](std::uint64_t seed) {
    FakeMachine machine(random_costs(20, 3), {}, 5);
    RaceOptions options;
    options.seed = seed;
    return race(all(20), std::ref(machine), options);
  };
  const RaceResult a = run(1), b = run(1), c = run(2);
  EXPECT_EQ(a.leader, b.leader);
  EXPECT_EQ(a.evaluations, b.evaluations);
  EXPECT_EQ(a.candidates[7].median, b.candidates[7].median);
  EXPECT_NE(a.candidates[7].median, c.candidates[7].median);
}

TEST(Race, ReversesTheOrderOnAlternateRounds) {
  std::vector<std::vector<std::size_t>> blocks;
  const auto evaluate = [&blocks](Evaluator::Block block) {
    blocks.emplace_back(block.begin(), block.end());
    return std::vector<Seconds>(block.size(), 1.0);
  };
  RaceOptions options;
  options.max_rounds = 4;
  options.aa_rounds = 0;
  race(all(8), evaluate, options);
  ASSERT_EQ(blocks.size(), 4U);
  EXPECT_THAT(blocks[0], testing::UnorderedElementsAreArray(all(8)));
  std::reverse(blocks[1].begin(), blocks[1].end());
  std::reverse(blocks[3].begin(), blocks[3].end());
  EXPECT_EQ(blocks[0], blocks[1]);
  EXPECT_EQ(blocks[2], blocks[3]);
  EXPECT_NE(blocks[0], blocks[2]);
}

/// Evaluates by `cost` and records the number of entries of each round.
template <class Cost>
auto noting_sizes(Cost cost, std::vector<std::size_t>& sizes) {
  return [cost, &sizes](Evaluator::Block block) {
    sizes.push_back(block.size());
    std::vector<Seconds> costs(block.size());
    std::transform(block.begin(), block.end(), costs.begin(), cost);
    return costs;
  };
}

TEST(Race, EntersTheLeaderMoreThanOnceInEarlyRounds) {
  std::vector<std::size_t> sizes;
  const auto evaluate = noting_sizes(exact, sizes);
  RaceOptions options;
  options.aa_rounds = 3;
  options.max_rounds = 5;
  options.tolerance = 0;
  const RaceResult result = race({0, 1}, evaluate, options);
  EXPECT_THAT(sizes, ElementsAre(2, 5, 5));  // six pairs suffice to decide the race after three rounds
  EXPECT_EQ(result.ending, Ending::decided);
  EXPECT_EQ(result.evaluations, 12);
}

TEST(Race, HasOnePairPerRoundAfterItsFirstLookAndInTheEndNone) {
  FakeMachine machine(std::vector<double>(6, 1.0), {}, 1);
  std::vector<std::size_t> sizes;
  const auto evaluate = noting_sizes(std::ref(machine), sizes);
  RaceOptions options;
  options.tolerance = 0;
  options.aa_rounds = 8;
  options.max_rounds = 10;
  EXPECT_EQ(race(all(6), evaluate, options).ending, Ending::budget);
  ASSERT_EQ(sizes.size(), 10U);
  EXPECT_EQ(sizes[0], 6U);
  EXPECT_GT(sizes[1], 7U);
  EXPECT_EQ(sizes[6], 7U);
  EXPECT_EQ(sizes[9], 6U);
}

TEST(Race, HasNoPairsWhereItsCandidatesAreManyEnoughToBeComparedWithThemselves) {
  FakeMachine machine(std::vector<double>(30, 1.0), {0.02, 0, 0, 0}, 1);
  std::vector<std::size_t> sizes;
  const auto evaluate = noting_sizes(std::ref(machine), sizes);
  RaceOptions options;
  options.tolerance = 0;
  options.max_rounds = 6;
  race(all(30), evaluate, options);
  EXPECT_THAT(sizes, testing::Each(testing::Le(30U)));
}

TEST(Race, FindsTheBestThoughItIsTheNoisiest) {
  constexpr int trials = 40;
  int good = 0;
  for (std::uint64_t seed = 0; seed < trials; ++seed) {
    FakeMachine noisy({1.0}, {0.04, 0.02, 0, 0}, seed), others(std::vector<double>(40, 1.03), {0.02, 0, 0, 0}, 1000 + seed);
    RaceOptions options;
    options.seed = seed;
    const auto evaluate = [&](std::size_t i) { return i == 17 ? noisy(0) : others(i); };
    good += race(all(40), evaluate, options).leader == 17U ? 1 : 0;
  }
  EXPECT_GE(good, trials * 95 / 100);
}

TEST(Race, ComparesTheQuickestCandidateNearTheLeaderWithItself) {
  const std::vector<Seconds> costs = {1.0, 1.05, 2.0}, durations = {100, 1, 0.1};
  Seconds now = 0;
  std::vector<int> asked(costs.size(), 0);
  const auto evaluate = [&](std::size_t i) { return ++asked[i], now += durations[i], costs[i]; };
  RaceOptions options;
  options.limits.clock = [&now] { return now; };
  EXPECT_EQ(race(all(3), evaluate, options).leader, 0U);
  EXPECT_THAT(asked, ElementsAre(3, testing::Gt(10), 3));
}

TEST(Race, OfOneConfigurationMeasuresIt) {
  const RaceResult result = race({7}, exact);
  EXPECT_EQ(result.leader, 7U);
  EXPECT_THAT(result.ties, ElementsAre(7U));
  EXPECT_EQ(result.evaluations, 3);
  EXPECT_EQ(result.ending, Ending::decided);
  EXPECT_EQ(result.possible_gain, 0);
  EXPECT_EQ(result.candidates[0].median, 8);
}

TEST(Race, OfEqualConfigurationsReportsTies) {
  const RaceResult result = race(all(4), [](std::size_t) { return 2.0; });
  EXPECT_EQ(result.ending, Ending::decided);
  EXPECT_THAT(result.ties, UnorderedElementsAre(0, 1, 2, 3));
  EXPECT_EQ(result.ties.front(), result.leader);
  EXPECT_LE(result.possible_gain, 0.02);
}

TEST(Race, ReportsTiesWithinNoiseAndTheRestAsSlower) {
  FakeMachine machine({1.3, 1.0, 2.0, 1.001, 1.3}, {0.03, 0, 0, 0}, 1);
  const RaceResult result = race(all(5), std::ref(machine));
  EXPECT_THAT(result.ties, UnorderedElementsAre(1, 3));
  EXPECT_EQ(result.candidates[2].state, CandidateState::Standing::slower);
  EXPECT_EQ(result.candidates[1].state, CandidateState::Standing::contender);
  EXPECT_LT(result.candidates[2].evaluations, result.candidates[1].evaluations);
  EXPECT_LE(result.candidates[1].interval.low, result.candidates[1].median);
}

TEST(Race, DropsConfigurationsWithInvalidCostsAndSaysWhy) {
  const std::vector<double> costs = {std::nan(""), 2, std::numeric_limits<double>::infinity(), -1, 0, 3};
  const RaceResult result = race(all(6), [&costs](std::size_t i) { return costs[i]; });
  EXPECT_EQ(result.leader, 1U);
  EXPECT_EQ(result.candidates[0].fault, "its cost is not a number");
  EXPECT_EQ(result.candidates[2].fault, "its cost is infinite");
  EXPECT_EQ(result.candidates[3].fault, "its cost is not above 0");
  EXPECT_EQ(result.candidates[4].state, CandidateState::Standing::dropped);
  EXPECT_EQ(result.candidates[5].state, CandidateState::Standing::slower);
}

TEST(Race, ReplacesALeaderThatFails) {
  int calls = 0;
  const RaceResult result = race(all(3), [&calls](std::size_t i) { return i == 0 && ++calls > 2 ? std::nan("") : exact(i); });
  EXPECT_EQ(result.leader, 1U);
  EXPECT_EQ(result.candidates[0].state, CandidateState::Standing::dropped);
}

TEST(Race, WithNothingLeftHasNoLeader) {
  const RaceResult result = race(all(3), [](std::size_t) { return std::nan(""); });
  EXPECT_EQ(result.leader, std::nullopt);
  EXPECT_EQ(result.ending, Ending::nothing_left);
  EXPECT_TRUE(result.ties.empty());
}

TEST(Race, GoesOnWithRestingCandidatesWhenTheOthersFail) {
  // 0 and 1 are equal, so that 1 rests; 2 is uneven and goes on racing until every evaluation fails.
  int calls = 0, uneven = 0, of_resting = 0;
  const auto cost = [&](std::size_t i) {
    of_resting += i == 1 ? 1 : 0;
    return ++calls > 200 ? std::nan("") : i < 2 ? 1.0 : ++uneven % 2 == 0 ? 0.6 : 1.7;
  };
  const RaceResult result = race(all(3), cost);
  EXPECT_EQ(result.ending, Ending::nothing_left);
  EXPECT_LT(of_resting, 60) << "it rested";
}

TEST(Race, TakesRoundsOneByOne) {
  RaceOptions options;
  options.max_rounds = 30;
  FakeMachine at_once(random_costs(6, 3), {}, 4), one_by_one(random_costs(6, 3), {}, 4);
  const RaceResult expected = race(all(6), std::ref(at_once), options);
  Race stepped(all(6), options);
  for (std::optional<Ending> ending; !ending;) {
    std::vector<Seconds> costs;
    for (const std::size_t configuration : stepped.next_round()) {
      costs.push_back(one_by_one(configuration));
    }
    ending = stepped.step(Evaluator([&](Evaluator::Block block) {
      EXPECT_EQ(std::vector(block.begin(), block.end()), stepped.next_round());
      return costs;
    }));
  }
  const RaceResult result = stepped.result();
  EXPECT_EQ(result.leader, expected.leader);
  EXPECT_EQ(result.ending, expected.ending);
  EXPECT_EQ(result.ties, expected.ties);
  EXPECT_EQ(result.evaluations, expected.evaluations);
}

TEST(Race, RespectsTheBudgetWithAValidResult) {
  for (const std::int64_t evaluations : {0, 1, 3, 5, 17}) {
    RaceOptions options;
    options.limits.evaluations = evaluations;
    const RaceResult result = race(
        all(5), [](std::size_t i) { return 1 + 0.001 * exact(i); }, options);
    EXPECT_EQ(result.evaluations, evaluations);
    EXPECT_EQ(result.ending, Ending::budget);
    EXPECT_EQ(result.leader.has_value(), evaluations > 0);
    EXPECT_EQ(result.ties.size(), evaluations > 0 ? 5U : 0U);
    EXPECT_EQ(result.possible_gain, 1);  // no bound is known yet
  }
}

TEST(Race, RespectsBlockEvaluatorsToo) {
  RaceOptions options;
  options.limits.evaluations = 7;
  std::int64_t asked = 0;
  const auto evaluate = [&asked](Evaluator::Block block) {
    asked += static_cast<std::int64_t>(block.size());
    return std::vector<Seconds>(block.size(), 1.0);
  };
  EXPECT_EQ(race(all(5), evaluate, options).evaluations, 7);
  EXPECT_EQ(asked, 7);
}

TEST(Race, StopsByTheClockOfItsCaller) {
  double now = 100;
  RaceOptions options;
  options.limits.seconds = 10;
  options.limits.clock = [&now] { return now; };
  const auto evaluate = [&now](std::size_t) { return now += 1, 1e-3; };
  EXPECT_EQ(race(all(50), evaluate, options).evaluations, 10);
  options.limits.clock = {};
  EXPECT_EQ(race(all(50), exact, options).evaluations > 0, true);
}

TEST(Race, StopsWhenInterruptedAndGoesOnLater) {
  bool stop = false;
  int calls = 0;
  RaceOptions options;
  options.limits.interrupted = [&stop] { return stop; };
  Race race({0, 1, 2}, options);
  const auto evaluate = [&](std::size_t i) { return stop = ++calls == 5, exact(i); };
  race.run(evaluate);
  EXPECT_EQ(race.result().ending, Ending::interrupted);
  EXPECT_EQ(race.result().evaluations, 5);
  EXPECT_EQ(race.result().leader, 0U);
  stop = false;
  race.run(evaluate);
  EXPECT_EQ(race.result().ending, Ending::decided);
  EXPECT_THAT(race.result().ties, ElementsAre(0U));
}

TEST(Race, StandsIntactWhenTheEvaluatorThrows) {
  int calls = 0;
  std::vector<std::size_t> seen;
  const auto evaluate = [&](std::size_t i) {
    seen.push_back(i);
    if (++calls == 12) {
      throw std::runtime_error("out of memory");
    }
    return exact(i);
  };
  RaceOptions options;
  options.aa_rounds = 0;
  Race race(all(5), options);
  EXPECT_THROW(race.run(evaluate), std::runtime_error);
  const RaceResult before = race.result();
  EXPECT_EQ(before.rounds, 2);
  EXPECT_EQ(before.leader, 0U);
  EXPECT_EQ(before.candidates[4].evaluations, 2);
  race.run(evaluate);
  EXPECT_EQ(race.result().ending, Ending::decided);
  EXPECT_EQ(std::vector<std::size_t>(seen.begin() + 10, seen.begin() + 12), std::vector<std::size_t>(seen.begin() + 12, seen.begin() + 14));
}

TEST(Race, StopsWhenTheLeaderIsGoodEnough) {
  RaceOptions options;
  options.good_enough = 1.05;
  options.tolerance = 1e-3;
  FakeMachine machine({1.0, 1.002, 1.001, 1.3}, {0.02, 0, 0, 0}, 1);
  const RaceResult good = race(all(4), std::ref(machine), options);
  EXPECT_EQ(good.ending, Ending::good_enough);
  EXPECT_LE(good.candidates[*good.leader].median, 1.05);
  options.good_enough = 0.5;
  options.tolerance = 0.02;
  EXPECT_EQ(race(all(4), std::ref(machine), options).ending, Ending::decided);
}

TEST(Race, IsSoonGoodEnoughWhereTheLeaderIsFarBeyond) {
  RaceOptions options;
  options.good_enough = 10;
  options.tolerance = 1e-3;
  FakeMachine machine(std::vector<double>(100, 1.0), {0.1, 0, 0, 0}, 1);
  const RaceResult good = race(all(100), std::ref(machine), options);
  EXPECT_EQ(good.ending, Ending::good_enough);
  EXPECT_EQ(good.rounds, 1);
}

/// A median of 1 isn't at most 0.98, although half of its evaluations seem to be.
TEST(Race, IsRarelyTakenForGoodEnoughWithoutBeing) {
  int wrong = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    RaceOptions options;
    options.good_enough = 0.98;
    options.tolerance = 1e-3;
    options.max_rounds = 64;
    options.seed = seed;
    FakeMachine machine({1.0, 1.0, 1.0}, {0.1, 0, 0, 0}, seed + 1);
    wrong += race(all(3), std::ref(machine), options).ending == Ending::good_enough ? 1 : 0;
  }
  EXPECT_LE(wrong, 10) << "of 200, at 5 %";
}

TEST(Race, RefusesInvalidOptions) {
  const auto with = [](auto change) {
    RaceOptions options;
    change(options);
    Race({0, 1}, options);
  };
  EXPECT_THROW(with([](RaceOptions& it) { it.tolerance = -0.1; }), Error);
  EXPECT_THROW(with([](RaceOptions& it) { it.tolerance = std::nan(""); }), Error);
  EXPECT_THROW(with([](RaceOptions& it) { it.error_probability = 0; }), Error);
  EXPECT_THROW(with([](RaceOptions& it) { it.max_rounds = 1; }), Error);
  EXPECT_THROW(with([](RaceOptions& it) { it.limits.evaluations = -1; }), Error);
  EXPECT_THROW(Race({}), Error);
  EXPECT_THROW(Race({1, 1}), Error);
}

TEST(Confirm, RacesTheTopFewAgain) {
  FakeMachine machine({1.5, 1.0, 1.2, 1.001, 1.4}, {0.02, 0, 0, 0}, 1);
  const RaceResult first = race(all(5), std::ref(machine));
  std::vector<int> asked(5, 0);
  const auto fresh = [&asked](std::size_t i) { return ++asked[i], i == 2 ? 1.0 : 1.1; };
  const RaceResult confirmed = confirm(first, 3, fresh);
  EXPECT_EQ(confirmed.leader, 2U);
  EXPECT_THAT(asked, ElementsAre(0, testing::Gt(0), testing::Gt(0), testing::Gt(0), 0));
  EXPECT_THROW(confirm(RaceResult{}, 3, fresh), Error);
}

}  // namespace
}  // namespace flopcast::search
