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

}  // namespace
}  // namespace flopcast::preload::mpi
