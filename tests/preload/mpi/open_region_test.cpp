#include "flopcast/preload/mpi/open_region.hpp"

#include <gtest/gtest.h>

namespace flopcast::preload::mpi {
namespace {

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

}  // namespace
}  // namespace flopcast::preload::mpi
