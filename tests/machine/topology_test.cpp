#include "flopcast/machine/topology.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

namespace flopcast::machine {
namespace {

/// hwloc builds the described machine instead of asking the real one.
class Synthetic : public ::testing::Test {
 protected:
  static Topology topology(const char* description) {
    setenv("HWLOC_SYNTHETIC", description, 1);
    const Topology result = detect_topology();
    unsetenv("HWLOC_SYNTHETIC");
    return result;
  }
};

TEST_F(Synthetic, TellsHyperthreadsFromCores) {
  const Topology found = topology("pack:2 l3:1(size=33554432) core:4 l2:1(size=1048576) l1d:1(size=32768) pu:2");
  EXPECT_EQ(found.sockets, 2);
  EXPECT_EQ(found.cores, 8);
  EXPECT_EQ(found.hardware_threads, 16);
  EXPECT_EQ(found.usable.size(), 16U);
  EXPECT_EQ(found.usable_cores, 8);
  ASSERT_EQ(found.caches.size(), 3U);
  EXPECT_EQ(found.caches[0].bytes, 32768);
  EXPECT_EQ(found.caches[1].cores, 1);
  EXPECT_EQ(found.caches[2].level, 3);
  EXPECT_EQ(found.caches[2].cores, 4);
}

TEST_F(Synthetic, LivesWithoutCaches) {
  const Topology found = topology("core:3 pu:1");
  EXPECT_EQ(found.cores, 3);
  EXPECT_TRUE(found.caches.empty());
}

TEST(Topology, OfThisMachineIsSane) {
  const Topology found = detect_topology();
  EXPECT_FALSE(found.cpu.empty());
  EXPECT_GE(found.hardware_threads, found.cores);
  EXPECT_GE(found.usable_cores, 1);
  EXPECT_LE(found.usable_cores, found.cores);
  EXPECT_GT(found.memory_bytes, 0);
}

TEST(CpuList, JoinsRuns) {
  EXPECT_EQ(format_cpu_list({}), "");
  EXPECT_EQ(format_cpu_list({3}), "3");
  EXPECT_EQ(format_cpu_list({0, 1, 2, 3, 8, 10, 11}), "0-3,8,10-11");
}

}  // namespace
}  // namespace flopcast::machine
