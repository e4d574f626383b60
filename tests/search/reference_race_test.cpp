#include "flopcast/search/reference_race.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "noise.hpp"

namespace flopcast::search {
namespace {

/// Numbers of races by the verdict on the second of two candidates.
struct Verdicts {
  int faster = 0, slower = 0, same = 0, unsure = 0, wrong_controls = 0;
  std::int64_t rounds = 0;

  void count(Verdict verdict) {
    ++(verdict == Verdict::faster ? faster : verdict == Verdict::slower ? slower : verdict == Verdict::same ? same : unsure);
  }
};

template <class Machine>
Verdicts race_pairs(int races, ReferenceRaceOptions options, const std::function<Machine(std::uint64_t seed)>& machine_of) {
  Verdicts verdicts;
  for (int trial = 0; trial < races; ++trial) {
    options.seed = static_cast<std::uint64_t>(trial);
    Machine machine = machine_of(1000 + options.seed);
    ReferenceRace race(2, options);
    race.run(std::ref(machine));
    verdicts.count(race.ratio(1).verdict);
    const Verdict control = race.ratio(race.control()).verdict;
    verdicts.wrong_controls += control == Verdict::faster || control == Verdict::slower ? 1 : 0;
    verdicts.rounds += race.rounds();
  }
  return verdicts;
}

Verdicts race_pairs(double ratio, const FakeMachine::Noise& noise, int races, std::int64_t max_rounds = 300) {
  ReferenceRaceOptions options;
  options.max_rounds = max_rounds;
  return race_pairs<FakeMachine>(races, options, [&](std::uint64_t seed) { return FakeMachine({1.0, ratio, 1.0}, noise, seed); });
}

class ReferenceRaceUnderNoise : public testing::TestWithParam<FakeMachine::Noise> {};

/// The promise to users: at most 5 wrong verdicts in 100 pairs of equal commands.
TEST_P(ReferenceRaceUnderNoise, CallsEqualCandidatesDifferentInFiveOfHundredRacesAtMost) {
  constexpr int races = 600;
  const Verdicts verdicts = race_pairs(1.0, GetParam(), races);
  EXPECT_LE(verdicts.faster + verdicts.slower, races * 5 / 100);
  EXPECT_LE(verdicts.wrong_controls, races * 5 / 100);
}

TEST_P(ReferenceRaceUnderNoise, FindsDifferencesAndTheirDirection) {
  constexpr int races = 100;
  const Verdicts slower = race_pairs(1.3, GetParam(), races), faster = race_pairs(1 / 1.3, GetParam(), races);
  EXPECT_GE(slower.slower, races * 95 / 100);
  EXPECT_EQ(slower.faster + faster.slower, 0);
  EXPECT_GE(faster.faster, races * 95 / 100);
  EXPECT_LT(slower.rounds, 40 * races);
}

std::string reference_noise_name(const testing::TestParamInfo<FakeMachine::Noise>& noise) {
  constexpr std::array<const char*, 6> names = {"Normal", "HeavyTails", "TwoStates", "Bursts", "Drift", "All"};
  return names.at(noise.index);
}

INSTANTIATE_TEST_SUITE_P(Noises, ReferenceRaceUnderNoise,
                         testing::Values(FakeMachine::Noise{0.03}, FakeMachine::Noise{0.05, 0.2}, FakeMachine::Noise{0.03, 0, 0.5},
                                         FakeMachine::Noise{0.01, 0, 0, 0, 0.5}, FakeMachine::Noise{0.01, 0, 0, 0.8},
                                         FakeMachine::Noise{0.05, 0.1, 0.3, 0.3, 0.3}),
                         reference_noise_name);

/// Bursts of load as long as two evaluations are the worst case for the order of rounds, whose second is the reverse of the first.
TEST(ReferenceRace, KeepsItsPromiseUnderBurstsThatSpanTwoEvaluations) {
  struct Bursts {
    explicit Bursts(std::uint64_t seed) : random(seed) {}
    double operator()(std::size_t) {
      left = left > 0 ? left - 1 : uniform(random) < 0.3 ? 2 : 0;
      return (left > 0 ? 2 : 1) * std::exp(0.001 * uniform(random));
    }
    std::mt19937_64 random;
    std::uniform_real_distribution<double> uniform;
    int left = 0;
  };
  constexpr int races = 600;
  const Verdicts verdicts = race_pairs<Bursts>(races, {}, [](std::uint64_t seed) { return Bursts(seed); });
  EXPECT_LE(verdicts.faster + verdicts.slower, races * 5 / 100);
}

/// A quiet reference and a noisy candidate with the same median: A/A differences of the reference would promise too much.
TEST(ReferenceRace, KeepsItsPromiseWhereOnlyOneCandidateIsNoisy) {
  struct Machine {
    explicit Machine(std::uint64_t seed) : random(seed) {}
    double operator()(std::size_t candidate) { return std::exp((candidate == 1 ? 0.3 : 0.001) * normal(random)); }
    std::mt19937_64 random;
    std::normal_distribution<double> normal;
  };
  constexpr int races = 600;
  ReferenceRaceOptions options;
  options.max_rounds = 200;
  const Verdicts verdicts = race_pairs<Machine>(races, options, [](std::uint64_t seed) { return Machine(seed); });
  EXPECT_LE(verdicts.faster + verdicts.slower, races * 5 / 100);
}

TEST(ReferenceRace, CallsCandidatesTheSameWhereTheirNoiseIsSmall) {
  const Verdicts verdicts = race_pairs(1.0, {0.01}, 100);
  EXPECT_GE(verdicts.same, 95);
  EXPECT_LT(verdicts.rounds, 40 * 100);
}

TEST(ReferenceRace, DecidesExactCostsInTheFirstLook) {
  const std::vector<double> costs = {1.0, 2.0, 0.5, 1.01, 1.0};
  std::array<int, 5> evaluations = {};
  ReferenceRace race(4);
  race.run([&](std::size_t candidate) {
    ++evaluations.at(candidate);
    return costs[candidate];
  });
  EXPECT_EQ(race.ending(), Ending::decided);
  EXPECT_EQ(race.ratio(1).verdict, Verdict::slower);
  EXPECT_EQ(race.ratio(2).verdict, Verdict::faster);
  EXPECT_EQ(race.ratio(3).verdict, Verdict::same) << "within the tolerance";
  EXPECT_EQ(race.ratio(race.control()).verdict, Verdict::same);
  EXPECT_DOUBLE_EQ(*race.ratio(1).ratio, 2);
  EXPECT_EQ(race.ratio(1).interval, (Interval{2, 2}));
  EXPECT_THAT(evaluations, testing::Each(race.rounds()));
  EXPECT_LT(race.rounds(), 13);
}

TEST(ReferenceRace, EvaluatesDecidedCandidatesNoMore) {
  FakeMachine machine({1.0, 3.0, 1.03, 1.0}, {0.1}, 1);
  std::array<int, 4> evaluations = {};
  ReferenceRace race(3);
  race.run([&](std::size_t candidate) {
    ++evaluations.at(candidate);
    return machine(candidate);
  });
  EXPECT_LT(evaluations[1], 20);
  EXPECT_GT(evaluations[2], 100);
  EXPECT_EQ(evaluations[0], race.rounds());
  EXPECT_EQ(evaluations[3], race.rounds());
  EXPECT_NEAR(*race.ratio(1).ratio, 3, 0.6);
}

TEST(ReferenceRace, GoesOnUntilEveryIntervalLiesOnOneSideOfTheLimit) {
  const auto rounds = [](std::optional<double> limit) {
    FakeMachine machine({1.0, 1.3, 1.0}, {0.1}, 2);
    ReferenceRaceOptions options;
    options.limit = limit;
    ReferenceRace race(2, options);
    race.run(std::ref(machine));
    EXPECT_EQ(race.ending(), Ending::decided);
    EXPECT_TRUE(!limit || race.ratio(1).is_above(*limit) || race.ratio(1).interval->high <= *limit);
    return race.rounds();
  };
  EXPECT_GT(rounds(1.25), rounds({}));
}

TEST(ReferenceRace, MeasuresAReferenceAloneUntilItsControlIsTheSame) {
  FakeMachine machine({1.0, 1.0}, {0.02}, 3);
  ReferenceRace race(1);
  race.run(std::ref(machine));
  EXPECT_EQ(race.ending(), Ending::decided);
  EXPECT_EQ(race.ratio(race.control()).verdict, Verdict::same);
}

TEST(ReferenceRace, IsUnsureAfterTooFewRounds) {
  ReferenceRaceOptions options;
  options.limits.evaluations = 10;
  ReferenceRace race(2, options);
  race.run([](std::size_t candidate) { return candidate == 1 ? 2.0 : 1.0; });
  EXPECT_EQ(race.ending(), Ending::budget);
  EXPECT_EQ(race.ratio(1).verdict, Verdict::unsure);
  EXPECT_EQ(race.ratio(1).interval, std::nullopt);
  EXPECT_EQ(race.ratio(1).ratio, 2);
}

}  // namespace
}  // namespace flopcast::search
