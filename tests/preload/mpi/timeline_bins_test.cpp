#include "flopcast/preload/mpi/timeline_bins.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace flopcast::preload::mpi {
namespace {

Seconds sum_of(const TimelineBins& bins, Activity activity) {
  Seconds sum = 0;
  for (std::size_t bin = 0; bin < TimelineBins::max_bins; ++bin) {
    sum += bins.part(activity, bin) * bins.width();
  }
  return sum;
}

TEST(TimelineBins, DivideActivitiesAmongBins) {
  TimelineBins bins;
  const Seconds width = bins.width();
  bins.add(Activity::waiting, 0.5 * width, 2.25 * width);
  EXPECT_NEAR(bins.part(Activity::waiting, 0), 0.5, 1e-5);
  EXPECT_NEAR(bins.part(Activity::waiting, 1), 1, 1e-5);
  EXPECT_NEAR(bins.part(Activity::waiting, 2), 0.25, 1e-5);
  EXPECT_EQ(bins.part(Activity::waiting, 3), 0);
  EXPECT_EQ(bins.part(Activity::computation, 1), 0);
}

TEST(TimelineBins, GetWiderInLongRunsAndKeepAllTime) {
  TimelineBins bins;
  const Seconds width = bins.width();
  Seconds time = 0;
  for (int i = 0; i < 1000; ++i) {
    const Seconds end = time + 1e-3 * (1 + i % 7);
    bins.add(i % 2 == 0 ? Activity::computation : Activity::communication, time, end);
    time = end;
  }
  EXPECT_NEAR(sum_of(bins, Activity::computation) + sum_of(bins, Activity::communication), time, 1e-3 * time);
  EXPECT_GE(bins.width() * TimelineBins::max_bins, time);
  EXPECT_LT(bins.width() * TimelineBins::max_bins, 2 * time) << "half of the bins are used";
  EXPECT_EQ(std::exp2(std::round(std::log2(bins.width() / width))) * width, bins.width());
  const Seconds wider = 4 * bins.width();
  bins.widen_to(wider);
  EXPECT_EQ(bins.width(), wider);
  EXPECT_NEAR(sum_of(bins, Activity::computation) + sum_of(bins, Activity::communication), time, 1e-3 * time);
}

TEST(TimelineBins, IgnoreTimesThatAreNone) {
  TimelineBins bins;
  bins.add(Activity::own_code, 2, 1);
  bins.add(Activity::own_code, -1, 1);
  bins.add(Activity::own_code, std::nan(""), 1);
  EXPECT_EQ(sum_of(bins, Activity::own_code), 0);
}

}  // namespace
}  // namespace flopcast::preload::mpi
