#include "flopcast/preload/smpi/matching.hpp"

#include <gtest/gtest.h>

namespace flopcast::preload::smpi {
namespace {

ProcessArrival at(Seconds time) {
  ProcessArrival arrival;
  arrival.time = time;
  return arrival;
}

TEST(Matching, SenderAndReceiverFindEachOtherInEitherOrder) {
  Matching matching;
  const Route route = {1, 0, 1, 7};
  const auto early_send = matching.send(route, at(1));
  EXPECT_FALSE(early_send->receiver);
  EXPECT_EQ(matching.receive(route, at(2)), early_send);
  EXPECT_EQ(early_send->receiver->time, 2);

  const auto early_receive = matching.receive(route, at(3));
  EXPECT_FALSE(early_receive->sender);
  EXPECT_EQ(matching.send(route, at(4)), early_receive);
  EXPECT_EQ(early_receive->sender->time, 4);
}

TEST(Matching, MessagesOfOneRouteDoNotOvertake) {
  Matching matching;
  const Route route = {1, 0, 1, 7};
  const auto first = matching.send(route, at(1));
  const auto second = matching.send(route, at(2));
  EXPECT_EQ(matching.receive(route, at(3)), first);
  EXPECT_EQ(matching.receive(route, at(3)), second);
}

TEST(Matching, TagsSourcesAndCommunicatorsSeparateRoutes) {
  Matching matching;
  const auto sent = matching.send({1, 0, 1, 7}, at(1));
  EXPECT_NE(matching.receive({1, 0, 1, 8}, at(2)), sent);
  EXPECT_NE(matching.receive({1, 2, 1, 7}, at(2)), sent);
  EXPECT_NE(matching.receive({2, 0, 1, 7}, at(2)), sent);
  EXPECT_EQ(matching.receive({1, 0, 1, 7}, at(2)), sent);
}

TEST(Collectives, AreDroppedWhenAllProcessesHaveLeft) {
  Collectives collectives;
  const Collectives::Key key = {5, 0};
  collectives.arrive(key, 0, at(1));
  collectives.arrive(key, 1, at(4));
  EXPECT_EQ(collectives.at(key).arrivals.size(), 2U);
  collectives.leave(key, 2);
  EXPECT_EQ(collectives.at(key).arrivals.at(1).time, 4);
  collectives.leave(key, 2);
  EXPECT_EQ(collectives.arrive(key, 0, at(9)).arrivals.size(), 1U);
}

TEST(LastArrival, IsTheLatestNeededArrivalBeforeATime) {
  OpenCollective collective;
  collective.arrivals[0] = at(1);
  collective.arrivals[1] = at(5);
  collective.arrivals[2] = at(3);
  const auto all = [](int) { return true; };
  EXPECT_EQ(last_arrival(collective, 9, all)->time, 5);
  EXPECT_EQ(last_arrival(collective, 4, all)->time, 3);
  EXPECT_EQ(last_arrival(collective, 9, [](int rank) { return rank == 2; })->time, 3);
  EXPECT_EQ(last_arrival(collective, 0.5, all), nullptr);
}

}  // namespace
}  // namespace flopcast::preload::smpi
