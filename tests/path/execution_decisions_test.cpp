#include "flopcast/path/execution_decisions.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace flopcast::path {
namespace {

KernelStatistics times(std::initializer_list<double> values) {
  KernelStatistics statistics;
  for (const double value : values) {
    statistics.add(value);
  }
  return statistics;
}

/// How many of `occurrences`, all taking `seconds`, are executed.
int executions(ExecutionDecisions& decisions, int occurrences, Seconds seconds = 1, const Standing& standing = {}) {
  const Kernel kernel;
  int executed = 0;
  for (int i = 0; i < occurrences; ++i) {
    if (decisions.wants_execution(0, kernel, standing)) {
      decisions.executed(0, kernel, seconds);
      ++executed;
    } else {
      EXPECT_NEAR(decisions.estimate(0, kernel), seconds, 0.25 * seconds);
    }
  }
  return executed;
}

TEST(ExecutionDecisionsTest, FullExecutesEverything) {
  ExecutionDecisions decisions(Policy::full, {});
  EXPECT_EQ(executions(decisions, 100), 100);
}

TEST(ExecutionDecisionsTest, APredictableKernelIsLookedAtAgainNowAndThen) {
  ExecutionDecisions decisions(Policy::conditional, {});
  EXPECT_EQ(executions(decisions, 3 + 64), 3);
  ExecutionDecisions others(Policy::conditional, {});
  EXPECT_EQ(executions(others, 3 + 64 + 1), 4);
}

TEST(ExecutionDecisionsTest, WhatIsKnownFromBeforeNeedsOneLook) {
  ExecutionDecisions decisions(Policy::conditional, {});
  decisions.know(0, {{}, times({1, 1, 1}), 5, 0});
  EXPECT_EQ(executions(decisions, 20), 1);
}

TEST(ExecutionDecisionsTest, WhatSomebodyElseLooksAtNeedsNone) {
  ExecutionDecisions decisions(Policy::conditional, {});
  decisions.know(0, {{}, times({1, 1, 1}), 5, 0}, true);
  EXPECT_EQ(executions(decisions, 20), 0);
}

TEST(ExecutionDecisionsTest, WhatHasDriftedIsDiscarded) {
  ExecutionDecisions decisions(Policy::conditional, {});
  decisions.know(0, {{}, times({2, 2, 2}), 5, 0});
  EXPECT_EQ(executions(decisions, 20), 3);
}

TEST(ExecutionDecisionsTest, ASpeedThatChangesIsLearntAnew) {
  ExecutionDecisions decisions(Policy::conditional, {});
  EXPECT_EQ(executions(decisions, 3 + 64), 3);
  const Kernel kernel;
  ASSERT_TRUE(decisions.wants_execution(0, kernel));
  decisions.executed(0, kernel, 2);
  ASSERT_TRUE(decisions.wants_execution(0, kernel)) << "one time far off asks for another";
  decisions.executed(0, kernel, 2);
  EXPECT_EQ(decisions.estimate(0, kernel), 2);
}

TEST(ExecutionDecisionsTest, ADisturbanceIsNotDrift) {
  ExecutionDecisions decisions(Policy::conditional, {});
  const Kernel kernel;
  for (const Seconds seconds : {1.0, 1.0, 1.0, 1.0}) {
    decisions.executed(0, kernel, seconds);
  }
  decisions.executed(0, kernel, 9);
  ASSERT_TRUE(decisions.wants_execution(0, kernel));
  decisions.executed(0, kernel, 1);
  EXPECT_NEAR(decisions.estimate(0, kernel), (5 + 9) / 6.0, 1e-12);
}

TEST(ExecutionDecisionsTest, CountsAlongAPathNarrow) {
  // 9, 10 and 11 are known to 25 % by themselves, to 2.5 % where they occur 100 times
  const auto known = [](Policy policy) {
    ExecutionDecisions decisions(policy, {.tolerance = 0.03});
    decisions.know(0, {{}, {}, 100, 0});
    const Kernel kernel;
    for (const Seconds seconds : {9, 10, 11}) {
      decisions.executed(0, kernel, seconds);
    }
    return !decisions.wants_execution(0, kernel, {.along = 99});
  };
  EXPECT_TRUE(known(Policy::a_priori));
  EXPECT_TRUE(known(Policy::online));
  EXPECT_FALSE(known(Policy::conditional));
  EXPECT_FALSE(known(Policy::local));
}

TEST(ExecutionDecisionsTest, EagerExecutesUntilAllProcessesKnow) {
  ExecutionDecisions decisions(Policy::eager, {});
  EXPECT_EQ(executions(decisions, 10), 10);
  ASSERT_TRUE(decisions.predictable(0).has_value());
  decisions.know_everywhere(0, {}, times({1, 1, 1}));
  EXPECT_EQ(executions(decisions, 10), 0);
}

TEST(ExecutionDecisionsTest, EagerNeedsNoLookAtWhatOthersKnow) {
  ExecutionDecisions decisions(Policy::eager, {});
  decisions.know_everywhere(0, {}, times({1, 1, 1}));
  EXPECT_EQ(executions(decisions, 10), 0);
}

/// A kernel of order n, whose time is 1e-6 + 1e-9 n^3.
Kernel kernel_of_order(std::int64_t n) {
  Kernel kernel;
  kernel.key.words[0] = n;
  kernel.flops = static_cast<double>(n * n * n);
  return kernel;
}
Seconds time_of_order(std::int64_t n) { return 1e-6 + 1e-9 * static_cast<double>(n * n * n); }

/// A trailing matrix that shrinks from 400 to 100 in steps of 10: how many orders are executed, none of which comes twice.
int shrinking(ExecutionDecisions& decisions) {
  int executed = 0;
  std::uint32_t number = 0;
  Seconds path = 0;
  for (std::int64_t n = 400; n >= 100; n -= 10, ++number) {
    const Kernel kernel = kernel_of_order(n);
    if (decisions.wants_execution(number, kernel, {.along = 0, .path = path})) {
      decisions.executed(number, kernel, time_of_order(n));
      ++executed;
    } else {
      EXPECT_NEAR(decisions.estimate(number, kernel), time_of_order(n), 0.01 * time_of_order(n)) << n;
    }
    path += time_of_order(n);
  }
  return executed;
}

TEST(ExecutionDecisionsTest, SizesNeverSeenAreLeftToAModel) {
  ExecutionDecisions with(Policy::conditional, {}, true);
  EXPECT_LE(shrinking(with), 4 + 6);  // four to begin with, then whenever the operations are halved
  ExecutionDecisions without(Policy::conditional, {}, false);
  EXPECT_EQ(shrinking(without), 31);
  ExecutionDecisions full(Policy::full, {}, true);
  EXPECT_EQ(shrinking(full), 31);
}

TEST(ExecutionDecisionsTest, PredictionsStayWithinTheBudgetOfThePath) {
  ExecutionDecisions decisions(Policy::conditional, {.tolerance = 0.01}, true);
  for (std::uint32_t i = 0; i < 6; ++i) {  // times that differ by 10 % from any fit
    const Kernel kernel = kernel_of_order(100 + 50 * i);
    decisions.executed(i, kernel, time_of_order(100 + 50 * i) * (i % 2 == 0 ? 1.1 : 0.9));
  }
  const Kernel kernel = kernel_of_order(220);
  EXPECT_TRUE(decisions.wants_execution(6, kernel, {.along = 0, .path = time_of_order(220)}));
  EXPECT_EQ(decisions.prediction_error(), 0);
  EXPECT_FALSE(decisions.wants_execution(7, kernel_of_order(225), {.along = 0, .path = 1000 * time_of_order(225)}));
  EXPECT_GT(decisions.prediction_error(), 0.1 * time_of_order(225));
  EXPECT_LE(decisions.prediction_error(), 0.01 * 1000 * time_of_order(225));
}

}  // namespace
}  // namespace flopcast::path
