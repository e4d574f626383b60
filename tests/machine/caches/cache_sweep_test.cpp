#include "flopcast/machine/caches/cache_levels.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "flopcast/support/error.hpp"

namespace flopcast::machine {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(WorkingSets, LieBetweenPowersOfTwoInWholeLinesOfThreeOperands) {
  // 4096, 5120, 6144, 7168, 8192 rounded down to multiples of 192
  EXPECT_THAT(working_sets(4096, 8192, 4), ElementsAre(4032, 4992, 6144, 7104, 8064));
  EXPECT_THAT(working_sets(1 << 20, 1 << 20, 1), ElementsAre((1 << 20) / 192 * 192));
}

TEST(WorkingSets, AreAsManyAsAskedForPerOctave) {
  const std::vector<std::int64_t> sizes = working_sets(1 << 14, 1 << 20, 8);
  EXPECT_EQ(sizes.size(), 6U * 8 + 1);
  for (std::size_t i = 1; i < sizes.size(); ++i) {
    EXPECT_GT(sizes[i], sizes[i - 1]);
  }
}

TEST(WorkingSets, SmallOnesThatAreEqualOrEmptyAreLeftOut) {
  EXPECT_THAT(working_sets(64, 100, 2), IsEmpty());
  EXPECT_THAT(working_sets(192, 384, 4), ElementsAre(192, 384));
}

TEST(QuickSweeps, TakeAboutAQuarterOfTheTime) {
  const SweepOptions quick = quick_sweep(), full;
  const auto triad_time = [](const SweepOptions& options) {
    return options.triad_points_per_octave * options.rounds * options.time_per_point;
  };
  EXPECT_NEAR(triad_time(quick) / triad_time(full), 6.0 * 3 * 0.2 / (8 * 5 * 0.4), 1e-12);
  EXPECT_EQ(quick.largest_bytes, full.largest_bytes);
}

TEST(Sweeps, HaveAPointForEachWorkingSetAndEndIfTheCallerGivesUp) {
  SweepOptions options;
  options.smallest_bytes = 4096;
  options.largest_bytes = 16384;
  options.triad_points_per_octave = 2;
  options.chase_points_per_octave = 1;
  options.rounds = 1;
  options.time_per_point = 1e-6;
  std::int64_t last = 0, expected = 0;
  const CacheSweep sweep = sweep_caches(WallClock(), options, [&](std::int64_t done, std::int64_t of) {
    EXPECT_EQ(done, last + 1);
    last = done;
    expected = of;
    return true;
  });
  EXPECT_EQ(sweep.triad.size(), working_sets(4096, 16384, 2).size());
  EXPECT_EQ(sweep.chase.size(), working_sets(4096, 16384, 1).size());
  EXPECT_EQ(sweep.parallel_chase.size(), sweep.chase.size());
  EXPECT_EQ(expected, static_cast<std::int64_t>(sweep.triad.size() + sweep.chase.size()));
  EXPECT_EQ(last, expected);
  try {
    sweep_caches(WallClock(), options, [](std::int64_t done, std::int64_t) { return done < 3; });
    FAIL() << "nothing thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::unusable_measurement);
    EXPECT_NE(std::string(error.what()).find("ended after 3 of"), std::string::npos);
  }
}

}  // namespace
}  // namespace flopcast::machine
