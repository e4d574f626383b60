#include "flopcast/machine/caches/shared_bandwidth.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "flopcast/machine/cpu/topology.hpp"
#include "flopcast/support/fields.hpp"

namespace flopcast::machine {
namespace {

constexpr std::int64_t mebibyte = 1 << 20;

TEST(BandwidthShare, InterpolatesTheBandwidthOfAllThreads) {
  const std::vector<BandwidthShare> measured = {{2, 1, 0.75}, {4, 1, 0.5}, {8, 0.5, 0.25}};
  EXPECT_EQ(share_of(measured, 1), (BandwidthShare{1, 1, 1}));
  EXPECT_EQ(share_of(measured, 2), measured[0]);
  EXPECT_EQ(share_of(measured, 8), measured[2]);
  const BandwidthShare three = share_of(measured, 3);  // together 1.5 for two threads, 2 for four
  EXPECT_DOUBLE_EQ(three.memory, 1.75 / 3);
  EXPECT_DOUBLE_EQ(three.cache, 1);
  const BandwidthShare six = share_of(measured, 6);  // 4 in the cache for four and for eight
  EXPECT_DOUBLE_EQ(six.cache, 4.0 / 6);
  EXPECT_DOUBLE_EQ(six.memory, 2.0 / 6);
}

TEST(BandwidthShare, DividesTheLastMeasuredBandwidthAmongMoreThreads) {
  EXPECT_EQ(share_of({{2, 1, 0.75}}, 4), (BandwidthShare{4, 0.5, 0.375}));
  EXPECT_EQ(share_of({}, 4), (BandwidthShare{4, 1, 1})) << "nothing is known of any disturbance";
}

TEST(BandwidthShare, SurvivesJson) {
  const BandwidthShare share{4, 0.9, 0.6};
  EXPECT_EQ(nlohmann::json(share).get<BandwidthShare>(), share);
}

TEST(BandwidthShares, AreMeasuredForRisingNumbersOfThreads) {
  const Topology topology = detect_topology();
  MemoryHierarchy hierarchy;
  hierarchy.levels = {
      {"L1", 32 * 1024}, {"L2", mebibyte / 4, mebibyte / 4, mebibyte / 4}, {"L3", 4 * mebibyte, 4 * mebibyte, 4 * mebibyte}};
  const int cores = busy_cores(topology.places, topology.cpu_quota);
  const std::vector<BandwidthShare> shares = measure_bandwidth_shares(WallClock(), topology.places, cores, hierarchy, 12 * mebibyte);
  EXPECT_EQ(shares.empty(), cores == 1);
  int before = 1;
  for (const BandwidthShare& share : shares) {
    EXPECT_GT(share.threads, before);
    before = share.threads;
    for (const double part : {share.cache, share.memory}) {
      EXPECT_GT(part, 0);
      EXPECT_LE(part, 1);
    }
  }
  EXPECT_EQ(before, cores) << "all of them come last";
  EXPECT_THAT(measure_bandwidth_shares(WallClock(), topology.places, 1, hierarchy, 12 * mebibyte), testing::IsEmpty());
}

}  // namespace
}  // namespace flopcast::machine
