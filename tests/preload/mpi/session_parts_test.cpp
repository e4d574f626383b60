#include <gtest/gtest.h>

#include "flopcast/preload/mpi/open_region.hpp"
#include "flopcast/preload/mpi/polling.hpp"
#include "flopcast/preload/mpi/program_gaps.hpp"

/// The parts of an MPI session that need neither MPI nor a clock.
namespace flopcast::preload::mpi {
namespace {

TEST(Polling, OnlyUnsuccessfulPollsCount) {
  Polling polling;
  polling.end_call(1);
  EXPECT_EQ(polling.seconds(), 0);
  polling.note_vain_call();
  polling.end_call(2);
  polling.end_call(4);
  EXPECT_EQ(polling.seconds(), 2);
}

TEST(Polling, TimeBeforeTheMessageWasUnderWayIsWaiting) {
  Polling polling;
  polling.note_vain_call();
  polling.end_call(3);
  const Seconds begun = polling.seconds();
  polling.note_vain_call();
  polling.end_call(2);
  const Polling::Settled settled = polling.settle(begun, 0);
  EXPECT_EQ(settled.under_way, 2);
  EXPECT_EQ(settled.waited, 3);
  EXPECT_EQ(polling.settle(begun, 0).waited, 0) << "each second counts once";
}

TEST(Polling, WithoutABeginAMessageTakesItsUsualTime) {
  Polling polling;
  polling.note_vain_call();
  polling.end_call(3);
  EXPECT_EQ(polling.settle(-1, 0.5).under_way, 0.5);
  polling.note_vain_call();
  polling.end_call(0.25);
  EXPECT_EQ(polling.settle(-1, 0.5).under_way, 0.25);
}

TEST(OpenRegion, InnerRegionsBelongToTheOuterOne) {
  OpenRegion region;
  EXPECT_FALSE(region.leave()) << "none is open";
  region.open(7, selective::Cause::window);
  region.compute(2);
  region.nest();
  region.compute(1);
  EXPECT_FALSE(region.leave());
  EXPECT_TRUE(region.is_open());
  EXPECT_TRUE(region.leave());
  EXPECT_FALSE(region.is_open());
  EXPECT_EQ(region.seconds(), 3);
  EXPECT_EQ(region.kernel(), 7U);
  EXPECT_EQ(region.cause(), selective::Cause::window);
}

TEST(OpenRegion, RemembersWhichRegionsCommunicate) {
  OpenRegion region;
  region.open(0, selective::Cause::always);
  region.note_communication();
  region.remember(1);
  region.open(0, selective::Cause::always);
  region.remember(2);
  EXPECT_TRUE(region.is_known_to_communicate(1));
  EXPECT_FALSE(region.is_known_to_communicate(2));
}

TEST(ProgramGaps, ShortOnesCountWithTheirUsualTimeAfterTheSameKernel) {
  ProgramGaps gaps;
  gaps.note_kernel(3);
  EXPECT_EQ(gaps.counted(1e-6, false), 1e-6) << "no usual time is known";
  gaps.counted(2e-6, true);
  EXPECT_EQ(gaps.counted(1e-6, false), 2e-6);
  EXPECT_EQ(gaps.counted(1, false), 1) << "a long one counts as it is";
  gaps.note_kernel(4);
  EXPECT_EQ(gaps.counted(1e-6, false), 1e-6);
}

TEST(ProgramGaps, VarianceAddsUpAlongThePath) {
  ProgramGaps gaps;
  gaps.note_kernel(0);
  gaps.counted(1e-6, true);
  gaps.counted(3e-6, true);
  PageVector<selective::Kernel> kernels(1);
  EXPECT_EQ(gaps.variance_along(kernels), 0) << "it lies on no path";
  kernels[0].along.add(1);
  EXPECT_NEAR(gaps.variance_along(kernels), 1.5 * 2e-12, 1e-18);
}

}  // namespace
}  // namespace flopcast::preload::mpi
