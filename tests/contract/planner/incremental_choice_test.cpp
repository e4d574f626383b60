#include "flopcast/contract/planner/trials.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <set>
#include <vector>

#include "flopcast/support/error.hpp"
#include "tests/search/noise.hpp"

namespace flopcast::contract {
namespace {

const IncrementalChoice::AreNeighbours no_neighbours = [](std::size_t, std::size_t) { return false; };

/// Executes candidates until the choice is made. Returns the executed candidates in their order.
std::vector<std::size_t> run(IncrementalChoice& choice, const std::function<double(std::size_t)>& time) {
  std::vector<std::size_t> executed;
  while (!choice.is_decided() && executed.size() < 1000) {
    executed.push_back(choice.next());
    choice.record(time(choice.next()));
  }
  return executed;
}

std::function<double(std::size_t)> exact(std::vector<double> times) {
  return [times = std::move(times)](std::size_t candidate) { return times[candidate]; };
}

TEST(IncrementalChoice, ChoosesOneCandidateAtOnceAndRefusesNone) {
  const IncrementalChoice one({1.0}, no_neighbours);
  EXPECT_TRUE(one.is_decided());
  EXPECT_EQ(one.best(), 0U);
  EXPECT_THROW(IncrementalChoice({}, no_neighbours), Error);
}

TEST(IncrementalChoice, ExecutesEachCandidateTwiceAndChoosesAClearWinner) {
  IncrementalChoice choice({1.0, 1.1, 1.2}, no_neighbours);
  const std::vector<std::size_t> executed = run(choice, exact({2.0, 1.0, 2.1}));
  EXPECT_THAT(executed, testing::ElementsAre(0, 0, 1, 1, 2, 2, 0, 2)) << "the slower ones once more, in case of a disturbance";
  EXPECT_EQ(choice.best(), 1U);
  EXPECT_EQ(choice.next(), 1U);
  EXPECT_EQ(choice.seconds(1), 1.0);
  EXPECT_EQ(choice.executions(), 8);
  EXPECT_EQ(choice.tried(), 3U);
}

TEST(IncrementalChoice, DoesNotCountFirstExecutions) {
  IncrementalChoice choice({1.0, 1.1}, no_neighbours);
  std::vector<int> executions(2);
  run(choice, [&](std::size_t i) { return executions[i]++ == 0 ? 2.5 - static_cast<double>(i) : i == 0 ? 1.0 : 2.0; });
  EXPECT_EQ(choice.best(), 0U) << "candidate 1 was faster the first time only";
  EXPECT_EQ(choice.seconds(0), 1.0);
}

TEST(IncrementalChoice, StopsWithCandidatesThatAreFarSlowerAtOnce) {
  IncrementalChoice choice({1.0, 1.0, 1.0}, no_neighbours);
  const std::vector<std::size_t> executed = run(choice, exact({1.0, 3.5, 0.5}));
  EXPECT_EQ(std::count(executed.begin(), executed.end(), 1U), 1);
  EXPECT_FALSE(choice.is_left(1));
  EXPECT_EQ(choice.seconds(1), std::nullopt);
  EXPECT_EQ(choice.best(), 2U);
}

TEST(IncrementalChoice, DoesNotExecuteWhatIsPredictedToBeMuchSlower) {
  IncrementalChoice choice({1.0, 1.4, 1.6, 9.0}, no_neighbours);
  EXPECT_THAT(run(choice, exact({1.0, 2.0, 0.1, 0.1})), testing::Each(testing::Lt(2U)));
  IncrementalChoice optimistic({1.0, 1.4, 1.6, 2.9, 9.0}, no_neighbours);
  run(optimistic, exact({2.0, 2.8, 3.2, 1.9, 0.1}));
  EXPECT_EQ(optimistic.best(), 3U) << "2.9 isn't much more than the 2.0 that the best has taken";
  IncrementalChoice pessimistic({1.0, 1.4, 2.2}, no_neighbours);
  run(pessimistic, exact({0.1, 0.09, 0.01}));
  EXPECT_EQ(pessimistic.best(), 1U) << "2.2 stands for 2.2 / 1.4 times as long as 0.09";
}

TEST(IncrementalChoice, ForgivesDisturbances) {
  IncrementalChoice choice({1.0, 1.0, 1.0}, no_neighbours);
  std::vector<int> executions(3);
  run(choice, [&](std::size_t i) { return std::vector{1.0, 0.8, 1.2}[i] * (++executions[i] == 2 && i == 1 ? 5.0 : 1.0); });
  EXPECT_EQ(choice.best(), 1U);
}

TEST(IncrementalChoice, ExecutesNeighboursOfTheFastest) {
  IncrementalOptions options;
  options.max_candidates = 2;
  const auto are_neighbours = [](std::size_t x, std::size_t y) { return x + 1 == y || y + 1 == x; };
  IncrementalChoice choice(std::vector<double>(10, 1.0), are_neighbours, options);
  const std::vector<std::size_t> executed = run(choice, exact({9, 8, 7, 6, 5, 4, 3, 2, 1, 0.5}));
  EXPECT_EQ(choice.best(), 5U) << "four neighbours: 2, 3, 4, 5";
  EXPECT_EQ(std::set(executed.begin(), executed.end()).size(), 6U);
  options.max_neighbours = 0;
  IncrementalChoice without(std::vector<double>(10, 1.0), are_neighbours, options);
  run(without, exact({9, 8, 7, 6, 5, 4, 3, 2, 1, 0.5}));
  EXPECT_EQ(without.best(), 1U);
}

TEST(IncrementalChoice, LeavesOutWhatCanNotBeExecuted) {
  for (const int before : {0, 1, 2, 5}) {  // executions of a candidate before it fails; from the third on they are in the race
    IncrementalChoice choice({1.0, 1.0, 1.0}, no_neighbours);
    int executions = 0, dropped = 0;
    for (int i = 0; i < 1000 && !choice.is_decided(); ++i) {
      if (choice.next() == 1 && executions++ >= before && choice.best() != 1) {
        choice.drop();
        ++dropped;
      } else {
        choice.record(1.0 + 0.01 * static_cast<double>(choice.next()));
      }
    }
    EXPECT_TRUE(choice.is_decided());
    EXPECT_EQ(choice.best(), 0U);
    EXPECT_EQ(dropped, 1) << before;
  }
}

/// Numbers of good choices, within 5 % of the best, and the largest number of executions.
struct Outcome {
  int good = 0;
  std::size_t most = 0;
  double slowdown = 0;  ///< mean time of the executions as a multiple of the best candidate's
};

Outcome choose_many(const search::FakeMachine::Noise& noise, int trials) {
  Outcome outcome;
  for (int trial = 0; trial < trials; ++trial) {
    const auto seed = static_cast<std::uint64_t>(trial);
    const std::vector<double> truth = search::random_costs(12, seed);
    const double best = *std::min_element(truth.begin(), truth.end());
    search::FakeMachine machine(truth, noise, 1000 + seed);
    IncrementalChoice choice(std::vector<double>(12, 1.0), [](std::size_t, std::size_t) { return true; });
    const std::vector<std::size_t> executed = run(choice, std::ref(machine));
    EXPECT_TRUE(choice.is_decided());
    outcome.good += truth[choice.best()] <= 1.05 * best ? 1 : 0;
    outcome.most = std::max(outcome.most, executed.size());
    double sum = 0;
    for (const std::size_t candidate : executed) {
      sum += truth[candidate];
    }
    outcome.slowdown += sum / static_cast<double>(executed.size()) / best / trials;
  }
  return outcome;
}

TEST(IncrementalChoice, DecidesDespiteNoise) {
  for (const search::FakeMachine::Noise& noise :
       {search::FakeMachine::Noise{0.01}, {0.05}, {0.02, 0.05}, {0.02, 0, 0.1}, {0.02, 0, 0, 0.05}, {0.02, 0, 0, 0, 0.2}}) {
    const Outcome outcome = choose_many(noise, 200);
    const auto what = testing::Message() << noise.spread << ' ' << noise.outliers << ' ' << noise.clock_step << ' ' << noise.drift << ' '
                                         << noise.busy;
    EXPECT_GE(outcome.good, 180) << what;
    EXPECT_LE(outcome.most, 80U) << what;
    EXPECT_LE(outcome.slowdown, 1.25) << what;
  }
}

}  // namespace
}  // namespace flopcast::contract
