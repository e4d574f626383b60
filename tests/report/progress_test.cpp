#include "flopcast/report/progress.hpp"

#include <gtest/gtest.h>

namespace flopcast::report {
namespace {

TEST(ProgressLine, ShowsShareCountAndTimeLeft) {
  EXPECT_EQ(progress_line("measuring", 6, 24, 10, 80), "measuring  [######------------------]  25 %  6/24  30 s left");
}

TEST(ProgressLine, PromisesNoTimeBeforeAnythingIsDone) {
  EXPECT_EQ(progress_line("measuring", 0, 24, 10, 80), "measuring  [------------------------]  0 %  0/24");
}

TEST(ProgressLine, LeavesOutPartsThatDoNotFit) {
  EXPECT_EQ(progress_line("measuring", 12, 24, 10, 40), "measuring  50 %  10 s left");
  EXPECT_EQ(progress_line("measuring", 12, 24, 10, 20), "50 %  10 s left");
  EXPECT_EQ(progress_line("measuring", 12, 24, 10, 5), "");
}

TEST(ProgressLine, LongTimesAreMinutesAndHours) {
  EXPECT_EQ(progress_line("x", 1, 2, 600, 17), "50 %  10 min left");
  EXPECT_EQ(progress_line("x", 1, 2, 7200, 16), "50 %  2 h left");
}

TEST(ProgressLine, UnknownOrExceededTotalsStayInBounds) {
  EXPECT_EQ(progress_line("x", 5, 0, 1, 80), "x  [------------------------]  0 %  5/0");
  EXPECT_EQ(progress_line("x", 9, 3, 1, 80), "x  [########################]  100 %  9/3  0 s left");
}

}  // namespace
}  // namespace flopcast::report
