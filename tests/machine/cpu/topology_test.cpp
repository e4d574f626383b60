#include "flopcast/machine/cpu/topology.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>

#include "flopcast/machine/detect_environment.hpp"
#include "flopcast/support/error.hpp"
#include "flopcast/support/scratch.hpp"

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

TEST_F(Synthetic, WorksWithoutCaches) {
  const Topology found = topology("core:3 pu:1");
  EXPECT_EQ(found.cores, 3);
  EXPECT_TRUE(found.caches.empty());
}

/// Returns a CPU with two performance cores of two hardware threads each, and a cluster of four efficiency cores.
Topology hybrid() {
  setenv("HWLOC_XMLFILE", FLOPCAST_HYBRID_XML, 1);
  const Topology result = detect_topology();
  unsetenv("HWLOC_XMLFILE");
  return result;
}

TEST(Hybrid, TellsKindsOfCoresApart) {
  const Topology found = hybrid();
  EXPECT_FALSE(found.this_system);
  ASSERT_EQ(found.kinds.size(), 2U);
  const CoreKind& fast = found.kinds[0];
  const CoreKind& slow = found.kinds[1];
  EXPECT_EQ(fast.name, "performance");
  EXPECT_EQ(fast.cores, 2);
  EXPECT_EQ(format_cpu_list(fast.cpus), "0-3");
  EXPECT_EQ(fast.max_hertz, 5e9);
  EXPECT_EQ(slow.name, "efficiency");
  EXPECT_EQ(slow.cores, 4);
  EXPECT_EQ(format_cpu_list(slow.cpus), "4-7");
  EXPECT_EQ(slow.max_hertz, 3.9e9);
  ASSERT_EQ(slow.caches.size(), 3U);
  EXPECT_EQ(slow.caches[0].bytes, 32768);
  EXPECT_EQ(slow.caches[1].bytes, 2097152);
  EXPECT_EQ(slow.caches[1].cores, 4) << "the cluster shares it";
  EXPECT_EQ(found.caches, fast.caches);
  EXPECT_EQ(fast.caches[0].bytes, 49152);
}

TEST(Hybrid, NameOfTheCpuEndsWithoutSpaces) { EXPECT_EQ(hybrid().cpu, "Hybrid CPU (family 6, model 151, stepping 2)"); }

TEST(Hybrid, ThreadsTakeTheFastCoresFirst) {
  const Topology found = hybrid();
  EXPECT_EQ(choose_cpus(found.places, 2, Affinity::close), (std::vector<int>{0, 2}));
  EXPECT_EQ(choose_cpus(found.places, 6, Affinity::spread), (std::vector<int>{0, 2, 4, 5, 6, 7}));
  EXPECT_EQ(choose_cpus(found.places, 7, Affinity::close).back(), 1) << "a second thread of a core comes last";
  EXPECT_EQ(busy_cores(found.places, 0), 6);
}

TEST(Hybrid, CanBeRestrictedToOneKind) {
  const Topology found = hybrid();
  const Topology slow = restricted_to(found, "efficiency"), fast = restricted_to(found, "performance");
  EXPECT_EQ(slow.usable, found.kinds[1].cpus);
  EXPECT_EQ(slow.usable_cores, 4);
  EXPECT_EQ(slow.caches, found.kinds[1].caches);
  EXPECT_EQ(busy_cores(slow.places, 0), 4);
  EXPECT_EQ(choose_cpus(slow.places, 1, Affinity::close), (std::vector<int>{4}));
  EXPECT_NE(hardware_fingerprint(slow), hardware_fingerprint(fast)) << "what was measured of one isn't taken for the other's";
  EXPECT_EQ(hardware_fingerprint(fast), hardware_fingerprint(found));
  EXPECT_THROW(restricted_to(found, "middling"), Error);
  EXPECT_TRUE(cpus_to_measure_on(found).empty()) << "they are another machine's";
  Topology here = found;
  here.this_system = true;
  EXPECT_EQ(cpus_to_measure_on(here), found.kinds[0].cpus);
  EXPECT_EQ(cpus_to_measure_on(restricted_to(here, "efficiency")), found.kinds[1].cpus);
}

TEST(Hybrid, CoresThatAControlGroupWithholdsBelongToTheMachine) {
  std::ifstream whole(FLOPCAST_HYBRID_XML);
  std::string text((std::istreambuf_iterator<char>(whole)), std::istreambuf_iterator<char>());
  const std::string all = "allowed_cpuset=\"0xff\"";
  ASSERT_NE(text.find(all), std::string::npos);
  const ScratchFolder folder;
  setenv("HWLOC_XMLFILE", folder.write("part.xml", text.replace(text.find(all), all.size(), "allowed_cpuset=\"0x3\"")).c_str(), 1);
  const Topology found = detect_topology();
  unsetenv("HWLOC_XMLFILE");
  EXPECT_EQ(format_cpu_list(found.usable), "0-1");
  EXPECT_EQ(found.usable_cores, 1);
  EXPECT_EQ(found.cores, 6);
  EXPECT_EQ(hardware_fingerprint(found), hardware_fingerprint(hybrid()));
}

TEST_F(Synthetic, EqualCoresHaveNoKinds) { EXPECT_TRUE(topology("pack:2 core:4 pu:2").kinds.empty()); }

TEST(Topology, OfThisMachineIsConsistent) {
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
