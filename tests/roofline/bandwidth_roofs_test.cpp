#include "flopcast/roofline/bandwidth_roofs.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace flopcast::roofline {
namespace {

constexpr std::int64_t kibibyte = 1024, mebibyte = 1024 * kibibyte, gibibyte = 1024 * mebibyte;

/// A machine of three levels: 32 KiB, 1 MiB and an elastic 32 MiB, with a triad that is fastest in the middle of each.
machine::MachineMeasurement three_levels() {
  machine::MachineMeasurement machine;
  machine.hierarchy.levels = {{"L1", 32 * kibibyte, 32 * kibibyte, 32 * kibibyte},
                              {"L2", mebibyte, mebibyte, mebibyte},
                              {"L3", 32 * mebibyte, 16 * mebibyte, 100 * mebibyte}};
  machine.sweep.triad = {{9e3, 3e-12},   {16e3, 2e-12}, {31e3, 2.5e-12}, {100e3, 9e-12}, {300e3, 8e-12},
                         {900e3, 9e-12}, {4e6, 33e-12}, {8e6, 30e-12},   {20e6, 31e-12}, {200e6, 60e-12}};
  return machine;
}

const std::vector<machine::ReportedCache> shared_last = {{1, 0, 64, 8, 1}, {2, 0, 64, 8, 1}, {3, 0, 64, 16, 8}};

TEST(WorkingSets, TakeTheFastestOfEachLevel) {
  const std::vector<WorkingSet> sets = working_sets(three_levels(), shared_last, 1, 8 * gibibyte);
  EXPECT_THAT(sets, testing::ElementsAre(WorkingSet{"L1", 16000, true, true}, WorkingSet{"L2", 300000, true},
                                         WorkingSet{"L3", 8000000, true}, WorkingSet{"memory", 300 * mebibyte, false}));
}

TEST(WorkingSets, DivideSharedLevelsAmongThreads) {
  const std::vector<WorkingSet> sets = working_sets(three_levels(), shared_last, 4, 8 * gibibyte);
  EXPECT_EQ(sets[0].bytes_per_thread, 16000) << "L1 is private";
  EXPECT_EQ(sets[2].bytes_per_thread, 3 * mebibyte) << "a quarter of 8 MB would lie in L2";
  EXPECT_EQ(sets[3].bytes_per_thread, 75 * mebibyte);
}

TEST(WorkingSets, NeverFitIntoTheLevelBefore) {
  const std::vector<WorkingSet> sets = working_sets(three_levels(), shared_last, 8, 8 * gibibyte);
  EXPECT_GT(sets[2].bytes_per_thread, mebibyte);
}

TEST(WorkingSets, RespectTheAvailableMemory) {
  EXPECT_EQ(working_sets(three_levels(), shared_last, 2, 100 * mebibyte).back().bytes_per_thread, 50 * mebibyte);
}

TEST(WorkingSets, OfAMachineWithoutCachesAreMemory) {
  EXPECT_THAT(working_sets({}, {}, 1, gibibyte), testing::ElementsAre(WorkingSet{"memory", 192 * mebibyte, false}));
}

TEST(TriadLengths, DoubleFromThreeKibibytesAsFarAsMemoryIsGranted) {
  machine::ThreadTeam team({machine::detect_topology().usable.front()});
  BandwidthOptions options;
  options.rounds = 2;
  options.sample = 1e-5;
  options.max_team_bytes = 13 * kibibyte;
  const std::vector<BandwidthRoof> roofs = measure_triad_lengths(machine::WallClock(), {&team}, options);
  ASSERT_EQ(roofs.size(), 3U);
  for (std::size_t i = 0; i < roofs.size(); ++i) {
    EXPECT_EQ(roofs[i].working_set_bytes, shortest_triad << i);
    EXPECT_EQ(roofs[i].stream, "triad");
    EXPECT_EQ(roofs[i].bytes.samples.size(), 2U);
    EXPECT_GT(roofs[i].bytes.median(), 0);
  }
}

}  // namespace
}  // namespace flopcast::roofline
