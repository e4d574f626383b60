#include "flopcast/selective/execution_decisions.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "tests/selective/kernel_statistics.hpp"

namespace flopcast::selective {
namespace {

/// Returns how many of `occurrences`, which all take `seconds`, are executed.
int executions(ExecutionDecisions& decisions, int occurrences, Seconds seconds = 1, const PathPosition& standing = {}) {
  const KernelRecord kernel;
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

TEST(ExecutionDecisions, FullExecutesEverything) {
  ExecutionDecisions decisions(Policy::full, {});
  EXPECT_EQ(executions(decisions, 100), 100);
}

TEST(ExecutionDecisions, APredictableKernelIsExecutedNowAndThen) {
  ExecutionDecisions decisions(Policy::conditional, {});
  EXPECT_EQ(executions(decisions, 3 + 64), 3);
  ExecutionDecisions others(Policy::conditional, {});
  EXPECT_EQ(executions(others, 3 + 64 + 1), 4);
}

TEST(ExecutionDecisions, PriorTimesNeedOneExecution) {
  ExecutionDecisions decisions(Policy::conditional, {});
  decisions.know(0, {{}, times({1, 1, 1}), 5, 0});
  EXPECT_EQ(executions(decisions, 20), 1);
}

TEST(ExecutionDecisions, TrustedPriorTimesNeedNoExecution) {
  ExecutionDecisions decisions(Policy::conditional, {});
  decisions.know(0, {{}, times({1, 1, 1}), 5, 0}, true);
  EXPECT_EQ(executions(decisions, 20), 0);
}

TEST(ExecutionDecisions, DriftedPriorTimesAreDiscarded) {
  ExecutionDecisions decisions(Policy::conditional, {});
  decisions.know(0, {{}, times({2, 2, 2}), 5, 0});
  EXPECT_EQ(executions(decisions, 20), 3);
}

TEST(ExecutionDecisions, ASpeedThatChangesIsLearntAnew) {
  ExecutionDecisions decisions(Policy::conditional, {});
  EXPECT_EQ(executions(decisions, 3 + 64), 3);
  const KernelRecord kernel;
  ASSERT_TRUE(decisions.wants_execution(0, kernel));
  decisions.executed(0, kernel, 2);
  for (int i = 0; i < 2; ++i) {
    ASSERT_TRUE(decisions.wants_execution(0, kernel)) << "one time far off asks for another";
    decisions.executed(0, kernel, 2);
  }
  EXPECT_EQ(decisions.estimate(0, kernel), 2);
}

TEST(ExecutionDecisions, ADisturbanceIsNotDrift) {
  ExecutionDecisions decisions(Policy::conditional, {});
  const KernelRecord kernel;
  for (const Seconds seconds : {1.0, 1.0, 1.0, 1.0}) {
    decisions.executed(0, kernel, seconds);
  }
  decisions.executed(0, kernel, 9);
  ASSERT_TRUE(decisions.wants_execution(0, kernel));
  decisions.executed(0, kernel, 1);
  EXPECT_EQ(decisions.estimate(0, kernel), 1);
}

TEST(ExecutionDecisions, AStrangeLastTimeDoesNotAffectTheNextExecution) {
  ExecutionDecisions decisions(Policy::conditional, {});
  decisions.begin_execution(Policy::full, 0, true);
  for (const Seconds seconds : {1.0, 1.0, 1.0, 1.0, 9.0}) {
    decisions.executed(0, {}, seconds);
  }
  decisions.begin_execution(Policy::conditional, 13, true);
  EXPECT_EQ(executions(decisions, 20), 0);
}

TEST(ExecutionDecisions, CountsAlongThePathNarrowTheInterval) {
  // 9, 10 and 11 are known to 25 % by themselves, and to 2.5 % if they occur 100 times
  const auto known = [](Policy policy) {
    ExecutionDecisions decisions(policy, {.tolerance = 0.03});
    decisions.know(0, {{}, {}, 100, 0});
    const KernelRecord kernel;
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

TEST(ExecutionDecisions, EagerExecutesUntilAllProcessesKnow) {
  ExecutionDecisions decisions(Policy::eager, {});
  EXPECT_EQ(executions(decisions, 10), 10);
  ASSERT_TRUE(decisions.predictable(0).has_value());
  decisions.know_everywhere(0, {}, times({1, 1, 1}));
  EXPECT_EQ(executions(decisions, 10), 0);
}

TEST(ExecutionDecisions, EagerTrustsTimesThatOtherProcessesKnow) {
  ExecutionDecisions decisions(Policy::eager, {});
  decisions.know_everywhere(0, {}, times({1, 1, 1}));
  EXPECT_EQ(executions(decisions, 10), 0);
}

TEST(ExecutionDecisions, AVerdictNamesItsRule) {
  const KernelRecord kernel;
  EXPECT_EQ(ExecutionDecisions(Policy::full, {}).decide(0, kernel).rule, Rule::everything);
  EXPECT_EQ(ExecutionDecisions(Policy::random, {}).decide(0, kernel).rule, Rule::chance);
  ExecutionDecisions decisions(Policy::conditional, {});
  EXPECT_EQ(decisions.decide(0, kernel), (ExecutionVerdict{true, Rule::unseen, Cause::unseen}));
  decisions.executed(0, kernel, 1);
  EXPECT_EQ(decisions.decide(0, kernel), (ExecutionVerdict{true, Rule::unsure, Cause::unsure}));
  decisions.executed(0, kernel, 1);
  decisions.executed(0, kernel, 1);
  EXPECT_EQ(decisions.decide(0, kernel), (ExecutionVerdict{false, Rule::known, Cause::unsure}));
  decisions.executed(0, kernel, 9);
  EXPECT_EQ(decisions.decide(0, kernel).rule, Rule::deviant_time);
  decisions.executed(0, kernel, 1);
  for (int i = 0; i < 64; ++i) {
    EXPECT_EQ(decisions.decide(0, kernel).rule, Rule::known);
  }
  EXPECT_EQ(decisions.decide(0, kernel).rule, Rule::recheck);
  decisions.know_everywhere(1, {}, times({1, 1, 1}));
  EXPECT_EQ(decisions.decide(1, kernel).rule, Rule::known_everywhere);
  decisions.expect_at_most(2, 0.5);
  decisions.executed(2, kernel, 1);
  EXPECT_EQ(decisions.decide(2, kernel).rule, Rule::implausible_time);
}

TEST(ExecutionDecisions, AVerdictNamesWindowsAndBriefKernels) {
  ExecutionDecisions decisions(Policy::conditional, {}, true, ExecutionWindows());
  const KernelRecord kernel;
  EXPECT_EQ(decisions.decide(0, kernel), (ExecutionVerdict{true, Rule::window, Cause::window}));
  KernelRecord brief;
  brief.key.routine = 1;
  decisions.executed(1, brief, 1e-7);  // a routine's first time doesn't count
  decisions.executed(1, brief, 1e-7);
  EXPECT_EQ(decisions.decide(1, brief), (ExecutionVerdict{true, Rule::brief, Cause::brief}));
}

/// Returns how many orders of a trailing matrix that shrinks from 400 to 100 in steps of 10 are executed; no order comes twice.
int shrinking(ExecutionDecisions& decisions) {
  int executed = 0;
  std::uint32_t number = 0;
  Seconds path = 0;
  for (std::int64_t n = 400; n >= 100; n -= 10, ++number) {
    const KernelRecord kernel = kernel_of_order(n);
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

TEST(ExecutionDecisions, UnseenSizesAreLeftToAModel) {
  ExecutionDecisions with(Policy::conditional, {}, true);
  EXPECT_LE(shrinking(with), 4 + 6);  // four at first, then one whenever the number of operations is halved
  ExecutionDecisions without(Policy::conditional, {}, false);
  EXPECT_EQ(shrinking(without), 31);
  ExecutionDecisions full(Policy::full, {}, true);
  EXPECT_EQ(shrinking(full), 31);
}

TEST(ExecutionDecisions, PredictionsStayWithinTheBudgetOfThePath) {
  ExecutionDecisions decisions(Policy::conditional, {.tolerance = 0.01}, true);
  for (std::uint32_t i = 0; i < 6; ++i) {  // times that differ by 10 % from any fit
    const KernelRecord kernel = kernel_of_order(100 + 50 * i);
    decisions.executed(i, kernel, time_of_order(100 + 50 * i) * (i % 2 == 0 ? 1.1 : 0.9));
  }
  const KernelRecord kernel = kernel_of_order(220);
  EXPECT_TRUE(decisions.wants_execution(6, kernel, {.along = 0, .path = time_of_order(220)}));
  EXPECT_EQ(decisions.prediction_error(), 0);
  EXPECT_FALSE(decisions.wants_execution(7, kernel_of_order(225), {.along = 0, .path = 1000 * time_of_order(225)}));
  EXPECT_GT(decisions.prediction_error(), 0.1 * time_of_order(225));
  EXPECT_LE(decisions.prediction_error(), 0.01 * 1000 * time_of_order(225));
}

/// Returns a product of m x n x k.
KernelRecord product(std::int64_t m, std::int64_t n, std::int64_t k) {
  KernelRecord kernel;
  kernel.key.words = {m, n, k};
  kernel.flops = 2.0 * static_cast<double>(m * n * k);
  return kernel;
}

TEST(ExecutionDecisions, CallsWithoutWorkDoNotEnterTheModel) {
  ExecutionDecisions decisions(Policy::conditional, {}, true);
  const auto seconds = [](const KernelRecord& kernel) { return 1e-6 + 1e-10 * kernel.flops; };
  std::uint32_t number = 0;
  for (std::int64_t n = 100; n <= 400; n += 50) {
    const KernelRecord kernel = product(n, n, 64);
    decisions.executed(number++, kernel, seconds(kernel));
    decisions.executed(number++, product(0, n, 64), 1e-8);  // a process without a part of the matrix
  }
  const KernelRecord unseen = product(220, 220, 64);
  EXPECT_FALSE(decisions.wants_execution(number, unseen, {.along = 0, .path = 1}));
  EXPECT_NEAR(decisions.estimate(number, unseen), seconds(unseen), 0.01 * seconds(unseen));
  EXPECT_TRUE(decisions.wants_execution(number + 1, product(0, 220, 64), {.along = 0, .path = 1})) << "nor others of it";
}

TEST(ExecutionDecisions, PaceComparesTimesWithThoseOfEarlierExecutions) {
  ExecutionDecisions decisions(Policy::conditional, {});
  EXPECT_EQ(decisions.run_time_ratio().expected, 0);
  const KernelRecord kernel;
  decisions.begin_execution(Policy::conditional, 0, true);
  decisions.executed(0, kernel, 2);
  EXPECT_EQ(decisions.run_time_ratio().expected, 0) << "nothing was known before";
  decisions.begin_execution(Policy::conditional, 2, true);
  decisions.executed(0, kernel, 2.2);
  decisions.executed(0, kernel, 2.2);
  decisions.executed(1, kernel, 5);
  EXPECT_NEAR(decisions.run_time_ratio().taken, 4.4, 1e-12);
  EXPECT_NEAR(decisions.run_time_ratio().expected, 4, 1e-12);
}

/// Windows that cover the whole path, and others that cover nearly none of it.
const ExecutionWindows everywhere(1, 1);
const ExecutionWindows nowhere(1e9, 1e-9, 0);

TEST(ExecutionDecisions, InWindowsEverythingIsExecuted) {
  ExecutionDecisions decisions(Policy::conditional, {}, false, everywhere);
  EXPECT_EQ(executions(decisions, 100, 0.01), 100);
  ExecutionDecisions outside(Policy::conditional, {}, false, nowhere);
  EXPECT_EQ(executions(outside, 100, 1, {.along = 0, .path = 5}), 3 + 1) << "the routine's first execution isn't counted";
}

TEST(ExecutionDecisions, GivesTheCauseOfEachExecution) {
  ExecutionDecisions decisions(Policy::conditional, {}, false, nowhere);
  const PathPosition later{.along = 0, .path = 5};
  EXPECT_TRUE(decisions.wants_execution(0, kernel_of_order(100), later));
  EXPECT_EQ(decisions.cause(), Cause::unseen);
  decisions.executed(0, kernel_of_order(100), 1);
  EXPECT_TRUE(decisions.wants_execution(0, kernel_of_order(100), later));
  EXPECT_EQ(decisions.cause(), Cause::unsure);
  ExecutionDecisions in_windows(Policy::conditional, {}, false, everywhere);
  EXPECT_TRUE(in_windows.wants_execution(0, kernel_of_order(10)));
  EXPECT_EQ(in_windows.cause(), Cause::window);
  for (int i = 0; i < 2; ++i) {  // the routine's first time doesn't count
    in_windows.executed(0, kernel_of_order(10), 1e-7);
  }
  EXPECT_TRUE(in_windows.wants_execution(0, kernel_of_order(10)));
  EXPECT_EQ(in_windows.cause(), Cause::brief);
  ExecutionDecisions full(Policy::full, {});
  EXPECT_TRUE(full.wants_execution(0, kernel_of_order(10)));
  EXPECT_EQ(full.cause(), Cause::always);
}

TEST(ExecutionDecisions, AKernelSeenOnceIsStillPredictedFromOtherSizes) {
  ExecutionDecisions decisions(Policy::conditional, {}, true, nowhere);
  for (std::uint32_t i = 0; i < 12; ++i) {
    const std::int64_t n = 300 + 20 * static_cast<std::int64_t>(i);
    decisions.executed(i, kernel_of_order(n), time_of_order(n));
  }
  decisions.skipped();
  decisions.executed(12, kernel_of_order(410), time_of_order(410));  // among skipped ones
  EXPECT_FALSE(decisions.wants_execution(12, kernel_of_order(410), {.along = 0, .path = 5}));
  EXPECT_NEAR(decisions.estimate(12, kernel_of_order(410)), time_of_order(410), 0.05 * time_of_order(410));
}

TEST(ExecutionDecisions, KnownKernelsThatOutlastAWindowAreExecutedNowAndThen) {
  ExecutionDecisions decisions(Policy::conditional, {}, false, everywhere);
  const PathPosition near_its_end{.along = 0, .path = 0.999};
  EXPECT_EQ(executions(decisions, 4, 0.01, near_its_end), 4) << "the routine's first execution isn't counted";
  const int more = executions(decisions, 800, 0.01, near_its_end);
  EXPECT_GT(more, 50);
  EXPECT_LT(more, 200);
  EXPECT_EQ(executions(decisions, 10, 0.01, {.along = 0, .path = 0.5}), 10) << "much of this window is left";
}

TEST(ExecutionDecisions, TimesOfOtherProcessesCountToo) {
  ExecutionDecisions decisions(Policy::conditional, {}, false, nowhere);
  decisions.share(0, times({1, 1.01, 0.99}));
  EXPECT_NEAR(decisions.estimate(0, {}), 1, 1e-12);
  EXPECT_EQ(executions(decisions, 20, 1, {.along = 0, .path = 5}), 0);
  EXPECT_EQ(decisions.in_context(0).count, 0) << "they are told by those who have measured them";

  ExecutionDecisions own(Policy::conditional, {}, false, everywhere);
  EXPECT_EQ(executions(own, 4, 0.01), 4);  // the first execution loads the routine
  KernelStatistics all = own.in_context(0);
  all.merge(times({0.011, 0.011, 0.011}));
  own.share(0, all);
  EXPECT_NEAR(own.estimate(0, {}), 0.0105, 1e-9) << "one's own are not counted twice";

  ExecutionDecisions slower(Policy::conditional, {}, false, everywhere);
  EXPECT_EQ(executions(slower, 4, 0.02), 4);
  slower.share(0, times({0.01, 0.01, 0.01, 0.02, 0.02, 0.02}));
  EXPECT_NEAR(slower.estimate(0, {}), 0.02, 1e-9) << "of processes that differ each goes by its own";
}

TEST(ExecutionDecisions, ShortKernelsAreExecutedEvenIfOtherProcessesTimedThem) {
  ExecutionDecisions decisions(Policy::conditional, {}, false, nowhere);
  decisions.share(0, times({1e-7, 1e-7, 1e-7}));
  EXPECT_EQ(executions(decisions, 20, 1e-7, {.along = 0, .path = 5}), 20);
}

constexpr std::array<std::int64_t, 5> known_orders = {100, 200, 300, 400, 4000};

/// Returns times of which no model predicts the last one from the others closely enough.
double known_time(std::uint32_t number) {
  constexpr std::array<double, 5> off = {1.1, 0.9, 1.1, 0.9, 1.1};
  return off.at(number) * time_of_order(known_orders.at(number));
}

void know_orders(ExecutionDecisions& decisions) {
  for (std::uint32_t i = 0; i < known_orders.size(); ++i) {
    const KernelRecord kernel = kernel_of_order(known_orders.at(i));
    decisions.know(i, {kernel.key, times({known_time(i), known_time(i), known_time(i)}), 0, kernel.flops});
  }
}

TEST(ExecutionDecisions, PriorTimesAreTrustedOnceOtherSizesAgree) {
  const PathPosition standing{.along = 0, .path = 5};
  for (const double slower : {1.0, 1.6}) {
    ExecutionDecisions decisions(Policy::conditional, {}, true);
    know_orders(decisions);
    for (std::uint32_t i = 0; i < 4; ++i) {
      EXPECT_TRUE(decisions.wants_execution(4, kernel_of_order(4000), standing)) << "after " << i << " others";
      decisions.executed(i, kernel_of_order(known_orders.at(i)), slower * known_time(i));
    }
    EXPECT_EQ(decisions.wants_execution(4, kernel_of_order(4000), standing), slower > 1);
  }
}

TEST(ExecutionDecisions, WithWindowsPriorTimesAreTrustedUntilMostHaveDrifted) {
  const PathPosition standing{.along = 0, .path = 5};
  const KernelRecord asked = kernel_of_order(4000);
  ExecutionDecisions decisions(Policy::conditional, {}, true, nowhere);
  know_orders(decisions);
  EXPECT_FALSE(decisions.wants_execution(4, asked, standing));
  decisions.executed(0, kernel_of_order(100), known_time(0));  // loads the routine
  decisions.executed(0, kernel_of_order(100), known_time(0));
  EXPECT_FALSE(decisions.wants_execution(4, asked, standing));
  decisions.executed(1, kernel_of_order(200), 1.6 * known_time(1));
  EXPECT_FALSE(decisions.wants_execution(4, asked, standing)) << "one may have been disturbed";
  decisions.executed(2, kernel_of_order(300), 1.6 * known_time(2));
  EXPECT_TRUE(decisions.wants_execution(4, asked, standing));
}

TEST(ExecutionDecisions, ExecutionsAmongSkippedKernelsCountWithTheTimeInTheProgram) {
  ExecutionDecisions decisions(Policy::conditional, {}, false, everywhere);
  const KernelRecord kernel;
  for (const Seconds seconds : {7e-4, 1e-4, 1e-4, 1e-4}) {  // the first one loads the routine
    EXPECT_FALSE(decisions.executed(0, kernel, seconds).estimated);
  }
  decisions.skipped();
  const PathContribution cold = decisions.executed(0, kernel, 5e-4);
  EXPECT_TRUE(cold.estimated);
  EXPECT_NEAR(cold.expected, 1e-4, 1e-12);
  EXPECT_NEAR(decisions.estimate(0, kernel), 1e-4, 1e-12);
  decisions.executed(0, kernel, 5e-4);  // the caches are warm at this point
  EXPECT_FALSE(decisions.executed(0, kernel, 1e-4).estimated);
  EXPECT_EQ(decisions.in_context(0).count, 4);
}

TEST(ExecutionDecisions, LongKernelsNeedMoreSettling) {
  ExecutionDecisions decisions(Policy::conditional, {}, false, everywhere);
  const KernelRecord kernel;
  decisions.executed(0, kernel, 2e-3);
  decisions.skipped();
  EXPECT_TRUE(decisions.executed(0, kernel, 2e-3).estimated);
  EXPECT_TRUE(decisions.executed(0, kernel, 2e-3).estimated);
  EXPECT_TRUE(decisions.executed(0, kernel, 2e-3).estimated);
  EXPECT_FALSE(decisions.executed(0, kernel, 2e-3).estimated);
}

TEST(ExecutionDecisions, KernelsBoundByMemoryNeedMostSettling) {
  ExecutionDecisions decisions(Policy::conditional, {}, false, everywhere);
  KernelRecord fast;
  fast.flops = 1e9;
  decisions.executed(0, fast, 1e-2);
  KernelRecord slow;
  slow.flops = 1e6;
  decisions.skipped();
  for (int i = 0; i < 10; ++i) {
    EXPECT_TRUE(decisions.executed(1, slow, 1e-3).estimated) << i;
  }
  decisions.executed(1, slow, 1e-3);
  EXPECT_FALSE(decisions.executed(1, slow, 1e-3).estimated);
}

TEST(ExecutionDecisions, OneDisturbedTimeDoesNotCountButManyDo) {
  ExecutionDecisions decisions(Policy::conditional, {}, false, everywhere);
  const KernelRecord kernel;
  decisions.executed(0, kernel, 1);
  for (int i = 0; i < 8; ++i) {
    decisions.executed(0, kernel, 1);
  }
  decisions.executed(0, kernel, 50);
  EXPECT_EQ(decisions.estimate(0, kernel), 1);
  for (int i = 0; i < 3; ++i) {
    decisions.executed(0, kernel, 50);
  }
  EXPECT_GT(decisions.estimate(0, kernel), 5);
}

/// Three messages in a row waited for a core: 8 ms each, without variance, although a message takes microseconds.
TEST(ExecutionDecisions, MessagesThatWaitedForACoreDoNotEnterTheModel) {
  for (const bool windows : {false, true}) {
    ExecutionDecisions decisions(Policy::local, {}, true, windows ? std::optional(ExecutionWindows(1e9, 1e-9, 0)) : std::nullopt);
    const KernelRecord message{.key = {KernelKind::communication, 3, {8000, 2, 1}}};
    decisions.expect_at_most(0, 1e-4);
    for (int i = 0; i < 5; ++i) {
      ASSERT_TRUE(decisions.wants_execution(0, message)) << "windows " << windows;
      decisions.executed(0, message, 8e-3);
      EXPECT_LE(decisions.estimate(0, message), 1e-4);
    }
    for (int i = 0; i < 4; ++i) {
      if (decisions.wants_execution(0, message)) {
        decisions.executed(0, message, 3e-6);
      }
    }
    EXPECT_NEAR(decisions.estimate(0, message), 3e-6, 1e-9) << "windows " << windows;
    EXPECT_FALSE(decisions.wants_execution(0, message)) << "windows " << windows;
  }
}

TEST(ExecutionDecisions, MessagesThatAlwaysTakeLongerThanExpectedAreBelieved) {
  ExecutionDecisions decisions(Policy::local, {}, true);
  const KernelRecord message{.key = {KernelKind::communication, 3, {8000, 2, 1}}};
  decisions.expect_at_most(0, 1e-4);
  int executed = 0;
  for (int i = 0; i < 40; ++i) {
    if (decisions.wants_execution(0, message)) {
      decisions.executed(0, message, 8e-3);
      ++executed;
    }
  }
  EXPECT_EQ(executed, 16);
  EXPECT_NEAR(decisions.estimate(0, message), 8e-3, 1e-9);
}

TEST(ExecutionDecisions, SkippedKernelsCountWithTimesThatVaryAroundTheMean) {
  ExecutionDecisions decisions(Policy::conditional, {}, false, everywhere);
  const KernelRecord kernel;
  decisions.executed(0, kernel, 1);
  for (int i = 0; i < 8; ++i) {
    decisions.executed(0, kernel, i % 2 == 0 ? 1 : 1.5);
  }
  Seconds sum = 0;
  for (int i = 0; i < 2000; ++i) {
    const PathContribution counted = decisions.skipped(0, 4);
    EXPECT_NEAR(std::abs(counted.seconds - 4), 0.8, 1e-6) << "3.2 or 4.8";
    EXPECT_EQ(counted.expected, 4);
    sum += counted.seconds;
  }
  EXPECT_NEAR(sum / 2000, 4, 0.3);
}

TEST(ExecutionDecisions, TimesOfZeroDoNotVary) {
  ExecutionDecisions decisions(Policy::conditional, {}, false, everywhere);
  for (int i = 0; i < 8; ++i) {
    decisions.executed(0, KernelRecord(), 0);
  }
  EXPECT_EQ(decisions.skipped(0, 0).seconds, 0);
}

TEST(ExecutionDecisions, OneTimeIsEnoughWhereARoutineHardlyVaries) {
  ExecutionDecisions decisions(Policy::conditional, {}, true, nowhere);
  for (std::uint32_t i = 0; i < 6; ++i) {
    const KernelRecord kernel = kernel_of_order(100 + 10 * i);
    for (int times = 0; times < 3; ++times) {
      decisions.executed(i, kernel, time_of_order(100 + 10 * i) * (1 + 0.01 * times));
    }
  }
  const KernelRecord larger = kernel_of_order(250);  // too large to be predicted before it was executed
  EXPECT_TRUE(decisions.wants_execution(6, larger, {.along = 0, .path = 5}));
  decisions.executed(6, larger, time_of_order(250));
  EXPECT_FALSE(decisions.wants_execution(6, larger, {.along = 0, .path = 5}));
}

/// Products m x nb x nb of configurations with blocks of 96 and 160 take 1e-9 s for each m nb^2, those with blocks of 128 a fifth longer.
/// Some products of an execution correct the predictions of others, in that execution only.
TEST(ExecutionDecisions, SizesOfOneExecutionCorrectEachOther) {
  ExecutionDecisions decisions(Policy::conditional, {}, true, nowhere);
  std::uint32_t number = 0;
  const auto product = [](std::int64_t m, std::int64_t nb) {
    KernelRecord kernel;
    kernel.key.words[0] = m;
    kernel.key.words[1] = kernel.key.words[2] = nb;
    kernel.flops = static_cast<double>(m * nb * nb);
    return kernel;
  };
  const auto execute = [&](std::int64_t nb, std::int64_t from, double slower) {
    decisions.begin_execution(Policy::conditional, 1, true);
    for (std::int64_t m = from; m <= 2000; m += 100) {
      decisions.executed(number++, product(m, nb), slower * 1e-9 * product(m, nb).flops);
    }
  };
  execute(96, 200, 1);  // the first execution of all counts less
  execute(96, 200, 1);
  execute(160, 200, 1);
  decisions.begin_execution(Policy::conditional, 1, true);
  const KernelRecord large = product(900, 128);
  const std::uint32_t unseen = 1000;
  const Seconds usual = 1e-9 * large.flops;
  EXPECT_NEAR(decisions.estimate(unseen, large), usual, 0.02 * usual);
  execute(128, 1300, 1.2);
  EXPECT_GT(decisions.estimate(unseen, large), 1.13 * usual);
  EXPECT_LT(decisions.estimate(unseen, large), 1.22 * usual);
  decisions.begin_execution(Policy::conditional, 1, true);
  const KernelRecord between = product(900, 96);
  EXPECT_NEAR(decisions.estimate(unseen + 1, between), 1e-9 * between.flops, 0.03 * 1e-9 * between.flops);
}

TEST(ExecutionDecisions, AnotherExecutionKeepsTheKnownTimes) {
  ExecutionDecisions decisions(Policy::conditional, {}, false, nowhere);
  EXPECT_EQ(executions(decisions, 100, 1, {.along = 0, .path = 5}), 3 + 1);
  decisions.begin_execution(Policy::conditional, 7, true);
  EXPECT_EQ(executions(decisions, 100, 1, {.along = 0, .path = 5}), 0);
  decisions.begin_execution(Policy::full, 7, true);
  EXPECT_EQ(executions(decisions, 10), 10);
}

TEST(ExecutionDecisions, AFullExecutionTeachesUnlessOthersAreComparedWithIt) {
  ExecutionDecisions decisions(Policy::conditional, {}, false, nowhere);
  decisions.begin_execution(Policy::full, 0, false);
  EXPECT_EQ(executions(decisions, 10), 10);
  decisions.begin_execution(Policy::conditional, 10, false);
  EXPECT_EQ(executions(decisions, 10, 1, {.along = 0, .path = 5}), 3 + 1);
  ExecutionDecisions taught(Policy::conditional, {}, false, nowhere);
  taught.begin_execution(Policy::full, 0, true);
  EXPECT_EQ(executions(taught, 10), 10);
  taught.begin_execution(Policy::conditional, 10, true);
  EXPECT_EQ(executions(taught, 10, 1, {.along = 0, .path = 5}), 0);
}

TEST(ExecutionDecisions, WindowsLieAtPlacesOfAllPathsTogether) {
  const ExecutionWindows windows(1, 0.5, 0);
  Seconds inside = 0;
  while (!windows.contain(inside) || windows.contain(inside + 0.5)) {
    inside += 0.01;
  }
  ExecutionDecisions decisions(Policy::conditional, {}, false, windows);
  EXPECT_EQ(executions(decisions, 100, 1e-3, {.along = 0, .path = inside}), 100);
  decisions.begin_execution(Policy::conditional, 0.5, true);
  EXPECT_EQ(executions(decisions, 100, 1e-3, {.along = 0, .path = inside}), 0);
}

TEST(ExecutionDecisions, TimesOfTheFirstExecutionCountWhileThereAreNoOthers) {
  ExecutionDecisions decisions(Policy::conditional, {}, true, nowhere);
  decisions.begin_execution(Policy::conditional, 0, true);
  for (int i = 0; i < 5; ++i) {  // memory is used for the first time
    decisions.executed(0, {}, 2);
  }
  EXPECT_EQ(decisions.in_context(0).count, 4);
  decisions.begin_execution(Policy::full, 10, true);
  EXPECT_EQ(decisions.in_context(0).count, 0);
  EXPECT_EQ(decisions.estimate(0, {}), 2);
  decisions.executed(0, {}, 1);
  EXPECT_EQ(decisions.estimate(0, {}), 1);
  decisions.begin_execution(Policy::conditional, 10, true);
  EXPECT_EQ(decisions.in_context(0).count, 1);
}

TEST(ExecutionDecisions, ARehearsalExecutesFewComputationsMostShortMessagesAndAllRegions) {
  ExecutionDecisions decisions(Policy::rehearsal, {}, true, everywhere);
  decisions.seed(1);
  decisions.begin_execution(Policy::rehearsal, 0, true);
  const auto executed = [&](KernelKind kind) {
    KernelRecord kernel;
    kernel.key.kind = kind;
    int count = 0;
    for (int i = 0; i < 8000; ++i) {
      count += decisions.wants_execution(static_cast<std::uint32_t>(kind), kernel) ? 1 : 0;
    }
    return count;
  };
  EXPECT_NEAR(executed(KernelKind::computation), 1000, 150);
  EXPECT_NEAR(executed(KernelKind::communication), 7000, 150);
  EXPECT_EQ(executed(KernelKind::region), 8000);
  KernelRecord large;
  large.flops = 1e9;
  KernelRecord long_message;
  long_message.key = {KernelKind::communication, 0, {1 << 20}};
  int long_messages = 0;
  for (int i = 0; i < 8000; ++i) {
    EXPECT_FALSE(decisions.wants_execution(9, large));
    long_messages += decisions.wants_execution(10, long_message) ? 1 : 0;
  }
  EXPECT_NEAR(long_messages, 1000, 150);
}

/// Returns how many of 1000 places of a path of length 100 lie in windows.
int places_in_windows(ExecutionDecisions& decisions) {
  int count = 0;
  for (int i = 0; i < 1000; ++i) {
    count += decisions.wants_execution(0, kernel_of_order(100), {.along = 0, .path = 0.1 * i}) ? 1 : 0;
  }
  return count;
}

TEST(ExecutionDecisions, WindowsAreRarerWhenAllTimesAreKnown) {
  ExecutionDecisions decisions(Policy::conditional, {}, false, ExecutionWindows(10, 2, 0));
  decisions.begin_execution(Policy::conditional, 0, true);
  decisions.begin_execution(Policy::conditional, 0, true);  // the first times are doubted
  for (int i = 0; i < 20; ++i) {
    decisions.executed(0, kernel_of_order(100), 1e-3);
  }
  EXPECT_NEAR(decisions.known_share(), 16.0 / 20, 1e-12);  // the first loads the routine, three make its time known
  EXPECT_NEAR(places_in_windows(decisions), 200, 10);
  decisions.space_windows(1);
  decisions.begin_execution(Policy::conditional, 0, true);
  EXPECT_EQ(decisions.known_share(), 0);
  EXPECT_NEAR(places_in_windows(decisions), 100, 10);
  decisions.space_windows(0.8);  // some kernels aren't known: the windows stay
  decisions.begin_execution(Policy::conditional, 0, true);
  EXPECT_NEAR(places_in_windows(decisions), 100, 10);
  decisions.space_windows(0.5);  // another process has met many unknown kernels
  decisions.begin_execution(Policy::conditional, 0, true);
  EXPECT_NEAR(places_in_windows(decisions), 200, 10);
  decisions.skipped(0, 1);
  EXPECT_EQ(decisions.known_share(), 1);
}

TEST(ExecutionDecisions, WindowsAreCloserTogetherAfterAShortExecution) {
  ExecutionDecisions decisions(Policy::conditional, {}, false, ExecutionWindows(200, 20, 0));
  decisions.begin_execution(Policy::conditional, 0, true);
  decisions.begin_execution(Policy::conditional, 100, true);
  for (int i = 0; i < 20; ++i) {
    decisions.executed(0, kernel_of_order(100), 1e-3);
  }
  EXPECT_NEAR(places_in_windows(decisions), 100, 10);  // one window in 200 would cover all or none of 100 in most cases
}

TEST(ExecutionDecisions, KernelsThatAddLittleErrorToThePathAreLeftOut) {
  ExecutionDecisions decisions(Policy::conditional, {}, true, nowhere);
  for (int i = 0; i < 8; ++i) {  // of one routine: it is known from the scatter of its times
    decisions.executed(0, kernel_of_order(100), i % 2 == 0 ? 0.9 : 1.1);
  }
  KernelRecord other = kernel_of_order(90);
  other.key.routine = 7;
  decisions.executed(1, other, 1);
  decisions.executed(1, other, 1);  // the first one loads the routine
  EXPECT_TRUE(decisions.wants_execution(1, other, {.along = 0, .path = 1}));
  EXPECT_FALSE(decisions.wants_execution(1, other, {.along = 0, .path = 100}));
  EXPECT_GT(decisions.prediction_error(), 0.1);
  EXPECT_LT(decisions.prediction_error(), 0.5);
}

TEST(ExecutionDecisions, TimesAmongSkippedKernelsAreCorrectedByOtherSizes) {
  ExecutionDecisions decisions(Policy::conditional, {}, true, nowhere);
  const KernelRecord one = kernel_of_order(100);
  for (int i = 0; i < 6; ++i) {
    decisions.executed(0, one, 1e-4 * (1 + 1000 * (i == 0)));  // a routine's first execution loads it
  }
  for (int i = 0; i < 40; ++i) {
    decisions.executed(0, one, 1e-4);
  }
  for (int i = 0; i < 6; ++i) {
    decisions.skipped();
    decisions.executed(0, one, 2e-4);
  }
  decisions.skipped();
  decisions.executed(1, kernel_of_order(200), 8e-4);
  EXPECT_NEAR(decisions.estimate(1, kernel_of_order(200)), 4e-4, 1e-6);
  EXPECT_NEAR(decisions.estimate(0, one), 1e-4, 1e-9);
  decisions.skipped();
  KernelRecord large = kernel_of_order(4000);
  large.flops = 0;
  decisions.executed(2, large, 0.1);
  EXPECT_NEAR(decisions.estimate(2, large), 0.1, 1e-9) << "small sizes say nothing of what streams through memory";
}

TEST(ExecutionDecisions, LongKernelsBoundByArithmeticNeedNoSettling) {
  ExecutionDecisions decisions(Policy::conditional, {}, true, nowhere);
  KernelRecord kernel = kernel_of_order(100);
  kernel.flops = 1e9;
  decisions.executed(0, kernel, 1e-2);
  decisions.skipped();
  EXPECT_FALSE(decisions.executed(0, kernel, 1e-2).estimated);
  decisions.skipped();
  EXPECT_TRUE(decisions.executed(1, kernel, 5e-2).estimated) << "bound by memory";
  decisions.skipped();
  EXPECT_TRUE(decisions.executed(2, kernel, 1e-3).estimated) << "too short";
}

}  // namespace
}  // namespace flopcast::selective
