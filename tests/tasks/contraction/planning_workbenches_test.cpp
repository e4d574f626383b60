#include "flopcast/tasks/contraction/planning_workbenches.hpp"

#include <gtest/gtest.h>

namespace flopcast {
namespace {

TEST(PlanningWorkbenches, OneThreadHasTheChosenLibraries) {
  PlanningWorkbenches benches;
  EXPECT_EQ(benches.for_threads(1), benches.first());
  EXPECT_EQ(benches.for_threads(0), benches.first());
}

TEST(PlanningWorkbenches, ANamedBlasIsUsedForEveryNumberOfThreads) {
  PlanningWorkbenches benches({.blas = "a library that isn't opened for this"});
  EXPECT_EQ(benches.for_threads(8), benches.first());
}

}  // namespace
}  // namespace flopcast
