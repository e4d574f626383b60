#include "flopcast/selective/decision_rules.hpp"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace flopcast::selective
