#include "flopcast/preload/mpi/timeline_events.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace flopcast::preload::mpi {
namespace {

TEST(TimelineEvents, KeepAllThatFit) {
  TimelineEvents events;
  events.begin(3);
  for (std::uint32_t i = 0; i < 3; ++i) {
    events.add(i, 1e-6, i);
  }
  ASSERT_EQ(events.all().size(), 3U);
  EXPECT_EQ(events.all().back().what, 2U);
  EXPECT_EQ(events.omitted(), 0U);
}

TEST(TimelineEvents, KeepLongOnesAndSomeOfTheShort) {
  constexpr std::uint32_t count = 100000;
  TimelineEvents events;
  events.begin(1000);
  for (std::uint32_t i = 0; i < count; ++i) {
    events.add(i, i % 1000 == 7 ? 0.5 : 1e-6, i);
  }
  EXPECT_LE(events.all().size(), 1000U);
  EXPECT_GT(events.all().size(), 250U);
  EXPECT_EQ(events.all().size() + events.omitted(), count);
  EXPECT_EQ(std::count_if(events.all().begin(), events.all().end(), [](const TimelineEvent& event) { return event.seconds > 0.1F; }), 100);
  EXPECT_TRUE(std::is_sorted(events.all().begin(), events.all().end(),
                             [](const TimelineEvent& a, const TimelineEvent& b) { return a.begin < b.begin; }));
  EXPECT_GT(events.all().back().begin, 0.9 * count) << "later events are kept, too";
}

TEST(TimelineEvents, StayBoundedIfAllAreLong) {
  TimelineEvents events;
  events.begin(100);
  for (std::uint32_t i = 0; i < 10000; ++i) {
    events.add(i, 1, i);
  }
  EXPECT_LE(events.all().size(), 100U);
  EXPECT_GT(events.all().size(), 20U);
  EXPECT_GT(events.all().back().begin, 9000);
  events.thin_to(10);
  EXPECT_LE(events.all().size(), 10U);
  EXPECT_GE(events.all().size(), 5U);
}

TEST(TimelineEvents, AreNoneWithoutMemory) {
  TimelineEvents events;
  events.begin(0);
  events.add(0, 1, 1);
  EXPECT_TRUE(events.all().empty());
}

}  // namespace
}  // namespace flopcast::preload::mpi
