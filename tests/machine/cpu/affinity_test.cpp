#include "flopcast/machine/cpu/topology.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>

#include "flopcast/support/error.hpp"

namespace flopcast::machine {
namespace {

using testing::ElementsAre;

/// Two sockets of two cores with two hardware threads each, numbered as Linux does: the second threads of all cores come last.
const std::vector<CpuPlace> two_sockets = {{0, 0, 0}, {1, 1, 0}, {2, 2, 1}, {3, 3, 1}, {4, 0, 0}, {5, 1, 0}, {6, 2, 1}, {7, 3, 1}};

TEST(ChooseCpus, CloseFillsOneSocketAfterTheOther) { EXPECT_THAT(choose_cpus(two_sockets, 3, Affinity::close), ElementsAre(0, 1, 2)); }

TEST(ChooseCpus, SpreadTakesSocketsInTurns) { EXPECT_THAT(choose_cpus(two_sockets, 3, Affinity::spread), ElementsAre(0, 2, 1)); }

TEST(ChooseCpus, TakesHyperthreadsOnlyAfterAllCores) {
  EXPECT_THAT(choose_cpus(two_sockets, 5, Affinity::close), ElementsAre(0, 1, 2, 3, 4));
  EXPECT_THAT(choose_cpus({{0, 0, 0}, {1, 0, 0}, {2, 1, 0}, {3, 1, 0}}, 2, Affinity::close), ElementsAre(0, 2)) << "numbered core by core";
}

TEST(ChooseCpus, WorksOnAPartOfTheMachine) { EXPECT_THAT(choose_cpus({{6, 2, 1}, {5, 1, 0}}, 2, Affinity::close), ElementsAre(5, 6)); }

TEST(ChooseCpus, RefusesMoreThreadsThanPlacesAndNoThread) {
  EXPECT_THROW(choose_cpus(two_sockets, 9, Affinity::close), Error);
  EXPECT_THROW(choose_cpus(two_sockets, 0, Affinity::close), Error);
}

TEST(BusyCores, AreCoresNotHyperthreads) { EXPECT_EQ(busy_cores(two_sockets, 0), 4); }

TEST(BusyCores, RespectTheQuota) {
  EXPECT_EQ(busy_cores(two_sockets, 2.5), 2);
  EXPECT_EQ(busy_cores(two_sockets, 0.5), 1);
  EXPECT_EQ(busy_cores(two_sockets, 16), 4);
}

TEST(PinnedFor, RestoresTheOtherCpus) {
  cpu_set_t before, meanwhile, after;
  sched_getaffinity(0, sizeof before, &before);
  int first = 0;
  while (!CPU_ISSET(first, &before)) {
    ++first;
  }
  {
    const PinnedFor pinned({first});
    sched_getaffinity(0, sizeof meanwhile, &meanwhile);
  }
  sched_getaffinity(0, sizeof after, &after);
  EXPECT_EQ(CPU_COUNT(&meanwhile), 1);
  EXPECT_TRUE(CPU_EQUAL(&before, &after));
}

TEST(PinThisThread, RefusesACpuThatIsNotThere) { EXPECT_THROW(pin_this_thread({4000}), Error); }

}  // namespace
}  // namespace flopcast::machine
