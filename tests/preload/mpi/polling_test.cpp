#include "flopcast/preload/mpi/polling.hpp"

#include <gtest/gtest.h>

namespace flopcast::preload::mpi {
namespace {

TEST(Polling, OnlyUnsuccessfulPollsCount) {
  Polling polling;
  polling.end_call(1);
  EXPECT_EQ(polling.seconds(), 0);
  polling.note_vain_call();
  polling.end_call(2);
  polling.end_call(4);
  EXPECT_EQ(polling.seconds(), 2);
}

TEST(Polling, TimeBeforeTheMessageWasUnderWayIsWaiting) {
  Polling polling;
  polling.note_vain_call();
  polling.end_call(3);
  const Seconds begun = polling.seconds();
  polling.note_vain_call();
  polling.end_call(2);
  const Polling::Ended ended = polling.end(begun, 0);
  EXPECT_EQ(ended.under_way, 2);
  EXPECT_EQ(ended.waited, 3);
  EXPECT_EQ(polling.end(begun, 0).waited, 0) << "each second counts once";
}

TEST(Polling, WithoutABeginAMessageTakesItsUsualTime) {
  Polling polling;
  polling.note_vain_call();
  polling.end_call(3);
  EXPECT_EQ(polling.end(-1, 0.5).under_way, 0.5);
  polling.note_vain_call();
  polling.end_call(0.25);
  EXPECT_EQ(polling.end(-1, 0.5).under_way, 0.25);
}

void poll_in_vain(Polling& polling, Seconds seconds) {
  polling.note_vain_call();
  polling.end_call(seconds);
}

TEST(Polling, OneInSixteenOfASeriesIsTimed) {
  Polling polling;
  poll_in_vain(polling, 1);
  EXPECT_FALSE(polling.goes_untimed()) << "a single poll is no series";
  poll_in_vain(polling, 1);
  int untimed = 0;
  while (polling.goes_untimed()) {
    ++untimed;
  }
  EXPECT_EQ(untimed, 15);
  EXPECT_EQ(polling.seconds(), 2);
  EXPECT_EQ(polling.take_untimed(100), 15);
  EXPECT_EQ(polling.seconds(), 17);
  EXPECT_EQ(polling.take_untimed(100), 0) << "each poll counts once";
}

TEST(Polling, ASeriesEndsWithAnotherCall) {
  Polling polling;
  poll_in_vain(polling, 1);
  poll_in_vain(polling, 1);
  polling.end_call(5);
  EXPECT_FALSE(polling.goes_untimed());
}

TEST(Polling, UntimedPollsTakeTheTimeOfOneThatWasNotInterrupted) {
  Polling polling;
  poll_in_vain(polling, 1000);
  poll_in_vain(polling, 1);
  EXPECT_TRUE(polling.goes_untimed());
  EXPECT_EQ(polling.take_untimed(100), 1);
  poll_in_vain(polling, 1000);
  EXPECT_TRUE(polling.goes_untimed());
  EXPECT_EQ(polling.take_untimed(0.25), 0.25) << "no more than the time in which they were made";
}

}  // namespace
}  // namespace flopcast::preload::mpi
