#include "flopcast/machine/cpu/thread_team.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sched.h>

#include <atomic>
#include <stdexcept>

#include "flopcast/machine/cpu/topology.hpp"
#include "flopcast/support/error.hpp"

namespace flopcast::machine {
namespace {

/// Returns as many CPUs as the test's machine has, at most three.
std::vector<int> some_cpus() {
  std::vector<int> cpus = detect_topology().usable;
  cpus.resize(std::min<std::size_t>(cpus.size(), 3));
  return cpus;
}

TEST(ThreadTeam, RunsATaskOnEveryThreadAtItsCpu) {
  const std::vector<int> cpus = some_cpus();
  ThreadTeam team(cpus);
  std::vector<int> seen(cpus.size(), -1);
  team.run([&](int thread) { seen[static_cast<std::size_t>(thread)] = sched_getcpu(); });
  EXPECT_EQ(seen, cpus);
}

TEST(ThreadTeam, StartsWorkWhenAllArePrepared) {
  ThreadTeam team(some_cpus());
  std::atomic<int> prepared = 0;
  std::atomic<bool> early = false;
  const WallClock clock;
  for (int i = 0; i < 50; ++i) {
    prepared = 0;
    const Seconds seconds = team.time(
        clock, [&](int) { ++prepared; }, [&](int) { early = early || prepared != team.size(); });
    EXPECT_GT(seconds, 0);
  }
  EXPECT_FALSE(early);
}

TEST(ThreadTeam, RethrowsTheExceptionOfATaskAndKeepsWorking) {
  ThreadTeam team(some_cpus());
  EXPECT_THROW(team.run([](int) { throw std::runtime_error("no"); }), std::runtime_error);
  std::atomic<int> runs = 0;
  team.run([&](int thread) { runs += thread == 0 ? 1 : 0; });
  EXPECT_EQ(runs, 1);
}

TEST(ThreadTeam, ReportsThatAThreadCannotBePinned) {
  EXPECT_THROW(ThreadTeam({4000}), Error);
  EXPECT_THROW(ThreadTeam({}), Error);
}

}  // namespace
}  // namespace flopcast::machine
