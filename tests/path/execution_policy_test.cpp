#include "flopcast/path/execution_policy.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "flopcast/core/error.hpp"

namespace flopcast::path {
namespace {

KernelStatistics times(std::initializer_list<double> values) {
  KernelStatistics statistics;
  for (const double value : values) {
    statistics.add(value);
  }
  return statistics;
}

TEST(ExecutionPolicyTest, HalfWidthIsStudentsOverTheMean) {
  // 9, 10, 11: s = 1, t(0.975, 2) = 4.302653
  EXPECT_NEAR(relative_half_width(times({9, 10, 11}), 0.95, 1), 4.302653 / std::sqrt(3) / 10, 1e-6);
}

TEST(ExecutionPolicyTest, OccurrencesNarrowByTheirRoot) {
  const KernelStatistics sample = times({9, 10, 11});
  EXPECT_NEAR(relative_half_width(sample, 0.95, 16), relative_half_width(sample, 0.95, 1) / 4, 1e-12);
}

TEST(ExecutionPolicyTest, NothingIsKnownFromOneOrTwoExecutions) {
  EXPECT_EQ(relative_half_width(times({5}), 0.95, 1), std::numeric_limits<double>::infinity());
  EXPECT_FALSE(is_predictable(times({5, 5}), {}, 1000));
  EXPECT_TRUE(is_predictable(times({5, 5, 5}), {}, 1));
}

TEST(ExecutionPolicyTest, ToleranceDecides) {
  const KernelStatistics sample = times({9, 10, 11});
  EXPECT_FALSE(is_predictable(sample, {.tolerance = 0.24}, 1));
  EXPECT_TRUE(is_predictable(sample, {.tolerance = 0.25}, 1));
}

TEST(ExecutionPolicyTest, NamesGoBothWaysAndWrongOnesAreRefused) {
  for (const Policy policy : {Policy::full, Policy::conditional, Policy::local, Policy::a_priori}) {
    EXPECT_EQ(policy_named(policy_name(policy)), policy);
  }
  try {
    static_cast<void>(policy_named("prior"));
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::bad_input);
    EXPECT_THAT(error.what(), testing::HasSubstr("a-priori"));
  }
}

/// How many of `times` occurrences, all taking one second, are executed.
int executions(ExecutionDecisions& decisions, int times) {
  Kernel kernel;
  int executed = 0;
  for (int i = 0; i < times; ++i) {
    if (decisions.wants_execution(0, kernel)) {
      kernel.executed.add(1);
      ++executed;
    } else {
      EXPECT_EQ(decisions.estimate(0, kernel), 1);
      ++kernel.skipped;
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
  decisions.know(0, {{}, times({1, 1, 1}), 5});
  EXPECT_EQ(executions(decisions, 20), 1);
}

TEST(ExecutionDecisionsTest, WhatHasDriftedIsDiscarded) {
  ExecutionDecisions decisions(Policy::conditional, {});
  decisions.know(0, {{}, times({2, 2, 2}), 5});
  EXPECT_EQ(executions(decisions, 20), 3);
}

TEST(ExecutionDecisionsTest, CountsAlongAnEarlierPathNarrow) {
  // 9 and 10 and 11 to 25 % by themselves, to 2.5 % where they occur 100 times
  const auto known = [](Policy policy) {
    ExecutionDecisions decisions(policy, {.tolerance = 0.03});
    decisions.know(0, {{}, {}, 100});
    Kernel kernel;
    kernel.executed = times({9, 10, 11});
    return !decisions.wants_execution(0, kernel);
  };
  EXPECT_TRUE(known(Policy::a_priori));
  EXPECT_FALSE(known(Policy::conditional));
  EXPECT_FALSE(known(Policy::local));
}

}  // namespace
}  // namespace flopcast::path
