#include "flopcast/predict/contention.hpp"

#include <gtest/gtest.h>

#include <random>

namespace flopcast::prediction {
namespace {

using Threads = std::vector<std::vector<CallerStep>>;

void expect_durations(const Threads& threads, double cores, const std::vector<std::vector<Seconds>>& expected) {
  const auto found = shared_durations(threads, cores);
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t t = 0; t < found.size(); ++t) {
    ASSERT_EQ(found[t].size(), expected[t].size());
    for (std::size_t i = 0; i < found[t].size(); ++i) {
      EXPECT_NEAR(found[t][i], expected[t][i], 1e-12) << "thread " << t << " call " << i;
    }
  }
}

TEST(Contention, CallsThatHaveTheCoresTakeTheirWork) {
  expect_durations({{{0, 3, 1}, {1, 2, 1}}, {{0, 5, 1}}}, 2, {{3, 2}, {5}});
  expect_durations({{{0, 3, 4}}}, 2, {{3}});  // work measured with four threads on two cores
}

TEST(Contention, CallsAtTheSameTimeShareTheCores) { expect_durations({{{0, 3, 1}}, {{0, 3, 1}}, {{0, 3, 1}}}, 2, {{4.5}, {4.5}, {4.5}}); }

TEST(Contention, ThreadsOfTheLibraryCount) { expect_durations({{{0, 1, 2}}, {{0, 1, 2}}}, 2, {{2}, {2}}); }

TEST(Contention, AControlGroupGrantsPartsOfCpus) {
  expect_durations({{{0, 3, 1}}, {{0, 3, 1}}}, 1.5, {{4}, {4}});
  expect_durations({{{0, 3, 2}}, {{0, 3, 1}}}, 1, {{6}, {6}});
  expect_durations({{{0, 3, 1}}, {}}, 0.5, {{3}, {}});  // measured within the same group
}

TEST(Contention, SlowsDownOnlyWhileTheyMeet) {
  // The second call begins at 1 s, when the first one has 2 s left. Both run at half speed; the first ends at 5 s, when the second has 1 s
  // left.
  expect_durations({{{0, 3, 1}}, {{1, 3, 1}}}, 1, {{5}, {5}});
}

TEST(Contention, PausesArePrivate) {
  // Each thread pauses while the other one computes.
  expect_durations({{{0, 1, 1}, {1, 1, 1}}, {{1, 1, 1}, {1, 1, 1}}}, 1, {{1, 1}, {1, 1}});
}

TEST(Contention, ThreadsWithoutCallsDoNotMatter) {
  expect_durations({{}, {{0, 2, 1}}, {}}, 1, {{}, {2}, {}});
  expect_durations({}, 1, {});
}

TEST(Contention, APredictionGrowsAsItsCallsDo) {
  TracePrediction prediction;
  prediction.seconds = 3;
  prediction.interval = {2, 4};
  prediction.calls = {{1, 0.1, false}, {2, 0.1, true}};
  prediction.extrapolated = 2;
  prediction.kernels.resize(1);
  prediction.kernels[0].seconds = 3;
  const TracePrediction shared = with_durations(prediction, std::vector<Seconds>{2, 4});
  EXPECT_EQ(shared.seconds, 6);
  EXPECT_EQ(shared.interval.low, 4);
  EXPECT_EQ(shared.interval.high, 8);
  EXPECT_EQ(shared.extrapolated, 4);
  EXPECT_EQ(shared.kernels[0].seconds, 6);
  EXPECT_EQ(shared.calls[1].seconds, 4);
}

/// Simulates small time steps in which every running call gets its share.
std::vector<std::vector<Seconds>> naive_durations(const Threads& threads, int cores, Seconds tick) {
  std::vector<std::size_t> step(threads.size(), 0);
  std::vector<Seconds> pause(threads.size(), 0), work(threads.size(), 0);
  std::vector<std::vector<Seconds>> durations;
  for (const auto& steps : threads) {
    durations.emplace_back(steps.size());
  }
  for (bool any = true; any;) {
    any = false;
    int asked = 0;
    for (std::size_t t = 0; t < threads.size(); ++t) {
      asked += step[t] < threads[t].size() && pause[t] >= threads[t][step[t]].pause ? std::min(cores, threads[t][step[t]].cores) : 0;
    }
    const double share = asked <= cores ? 1 : static_cast<double>(cores) / asked;
    for (std::size_t t = 0; t < threads.size(); ++t) {
      if (step[t] == threads[t].size()) {
        continue;
      }
      any = true;
      if (pause[t] < threads[t][step[t]].pause) {
        pause[t] += tick;
        continue;
      }
      work[t] += share * tick;
      durations[t][step[t]] += tick;
      if (work[t] >= threads[t][step[t]].work) {
        ++step[t];
        pause[t] = work[t] = 0;
      }
    }
  }
  return durations;
}

TEST(Contention, AgreesWithSmallStepsOfTime) {
  static constexpr Seconds tick = 1e-4;
  std::mt19937 random(1);
  const auto between = [&](double low, double high) { return std::uniform_real_distribution<double>(low, high)(random); };
  for (int trial = 0; trial < 20; ++trial) {
    Threads threads(3);
    for (auto& steps : threads) {
      for (int i = 0; i < 4; ++i) {
        steps.push_back({between(0, 0.2), between(0.05, 0.3), static_cast<int>(between(1, 4))});
      }
    }
    const int cores = 1 + trial % 3;
    const auto expected = naive_durations(threads, cores, tick);
    const auto found = shared_durations(threads, cores);
    for (std::size_t t = 0; t < threads.size(); ++t) {
      for (std::size_t i = 0; i < threads[t].size(); ++i) {
        EXPECT_NEAR(found[t][i], expected[t][i], 100 * tick) << "trial " << trial << " thread " << t << " call " << i;
      }
    }
  }
}

}  // namespace
}  // namespace flopcast::prediction
