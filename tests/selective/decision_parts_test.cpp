#include <gtest/gtest.h>

#include <cstdint>

#include "flopcast/selective/error_budget.hpp"
#include "flopcast/selective/prior_trust.hpp"
#include "flopcast/selective/program_context.hpp"
#include "flopcast/selective/window_schedule.hpp"

/// The small parts of ExecutionDecisions.
namespace flopcast::selective {
namespace {

TEST(ErrorBudget, ErrorsOfOneKernelAddUp) {
  ErrorBudget budget(0.1);
  ASSERT_TRUE(budget.spend(0, 0.01, 1));
  ASSERT_TRUE(budget.spend(1, 0.01, 1));
  EXPECT_NEAR(budget.spent(), 0.02, 1e-12) << "twice that of one";
}

TEST(ErrorBudget, NoKernelTakesMoreThanAnEighth) {
  ErrorBudget budget(0.1);
  EXPECT_FALSE(budget.spend(0, 0.04, 1));
  EXPECT_EQ(budget.spent(), 0);
  EXPECT_TRUE(budget.spend(0, 0.03, 1));
}

TEST(ErrorBudget, IsUsedUp) {
  ErrorBudget budget(0.1);
  int spent = 0;
  while (budget.spend(0, 0.02, 1)) {
    ++spent;
  }
  EXPECT_EQ(spent, 25);
  EXPECT_LE(budget.spent(), 0.1 + 1e-12);
  budget.begin_execution(1);
  EXPECT_EQ(budget.spent(), 0);
}

TEST(ErrorBudget, APathThatHasJustBegunIsTakenToBeHalfAsLongAsTheOneBefore) {
  ErrorBudget budget(0.1);
  EXPECT_FALSE(budget.spend(0, 0.01, 0));
  budget.begin_execution(2);
  EXPECT_TRUE(budget.spend(0, 0.01, 0));
}

TEST(PriorTrust, WindowsCheckSoThatPriorTimesHoldUntilTheyDrift) {
  PriorTrust trust;
  PriorAgreement routine;
  EXPECT_TRUE(trust.holds_for(routine, true));
  EXPECT_FALSE(trust.holds_for(routine, false));
  trust.note(routine, false);
  EXPECT_TRUE(trust.has_drifted(routine));
  EXPECT_FALSE(trust.holds_for(routine, true));
}

TEST(PriorTrust, WithoutWindowsFourKernelsAreCheckedFirst) {
  PriorTrust trust;
  PriorAgreement routine;
  PriorAgreement other;
  for (int i = 0; i < 4; ++i) {
    EXPECT_FALSE(trust.holds_for(other, false));
    trust.note(other, true);
  }
  EXPECT_TRUE(trust.holds_for(other, false));
  EXPECT_FALSE(trust.holds_for(routine, false)) << "none of its kernels was checked";
}

TEST(PriorTrust, DriftOfMostKernelsIsDriftOfAll) {
  PriorTrust trust;
  PriorAgreement routine;
  PriorAgreement other;
  for (int i = 0; i < 4; ++i) {
    EXPECT_FALSE(trust.has_drifted(routine));
    trust.note(other, false);
  }
  EXPECT_TRUE(trust.has_drifted(routine));
  trust.begin();
  EXPECT_FALSE(trust.has_drifted(routine));
}

TEST(WindowSchedule, FullExecutionsHaveWindowsOnlyIfTheirTimesAreUsed) {
  WindowSchedule schedule(Policy::full, ExecutionWindows());
  EXPECT_FALSE(schedule.has_windows());
  schedule.begin_execution(Policy::full, 0, true);
  EXPECT_TRUE(schedule.has_windows());
  schedule.begin_execution(Policy::full, 1, false);
  EXPECT_FALSE(schedule.has_windows());
  EXPECT_FALSE(schedule.contain(0));
  schedule.begin_execution(Policy::local, 1, false);
  EXPECT_TRUE(schedule.contain(0)) << "every execution begins with a window";
}

TEST(WindowSchedule, BecomesRarerWhereAllIsKnown) {
  const auto share_in_windows = [](double known) {
    WindowSchedule schedule(Policy::local, ExecutionWindows());
    schedule.space(known);
    schedule.begin_execution(Policy::local, 0, true);
    int inside = 0;
    for (int i = 0; i < 20000; ++i) {
      inside += schedule.contain(1e-3 * i) ? 1 : 0;
    }
    return inside / 20000.0;
  };
  EXPECT_NEAR(share_in_windows(0.8), 0.1, 0.01);
  EXPECT_NEAR(share_in_windows(1), 0.05, 0.01);
  EXPECT_NEAR(share_in_windows(0), 0.1, 0.01) << "never denser than at first";
}

TEST(WindowSchedule, CountsTheKnownTime) {
  WindowSchedule schedule(Policy::local, ExecutionWindows());
  EXPECT_EQ(schedule.known_share(), 0);
  schedule.note_kernel(3, true);
  schedule.note_kernel(1, false);
  EXPECT_EQ(schedule.known_share(), 0.75);
  schedule.begin_execution(Policy::local, 1, true);
  EXPECT_EQ(schedule.known_share(), 0);
}

Kernel kernel_with_flops(double flops) {
  Kernel kernel;
  kernel.flops = flops;
  return kernel;
}

TEST(ProgramContext, SettlesAfterAMillisecondOfKernels) {
  ProgramContext context;
  const Kernel kernel = kernel_with_flops(1e5);
  EXPECT_TRUE(context.executed(kernel, 1e-4)) << "nothing was left out yet";
  context.left_out();
  EXPECT_FALSE(context.is_settled());
  for (int i = 0; i < 10; ++i) {
    EXPECT_FALSE(context.executed(kernel, 1e-4));
  }
  EXPECT_TRUE(context.is_settled());
  EXPECT_TRUE(context.executed(kernel, 1e-4));
}

TEST(ProgramContext, ALongKernelBoundByArithmeticIsItsOwnContext) {
  ProgramContext context;
  context.left_out();
  EXPECT_TRUE(context.executed(kernel_with_flops(1e8), 1e-2));
  context.left_out();
  EXPECT_FALSE(context.executed(kernel_with_flops(1e7), 1e-2)) << "it is bound by memory";
}

}  // namespace
}  // namespace flopcast::selective
