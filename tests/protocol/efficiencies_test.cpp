#include <gtest/gtest.h>

#include "flopcast/protocol/mpi_profile.hpp"

namespace flopcast {
namespace {

TEST(PopEfficiencies, AreProducts) {
  const MpiEfficiencies found = pop_efficiencies({4, 2}, 8, 5).value();
  EXPECT_DOUBLE_EQ(found.load_balance, 0.75);
  EXPECT_DOUBLE_EQ(found.communication, 0.5);
  EXPECT_DOUBLE_EQ(found.parallel, found.load_balance * found.communication);
  EXPECT_DOUBLE_EQ(found.serialisation.value(), 0.8);
  EXPECT_DOUBLE_EQ(found.transfer.value(), 0.625);
  EXPECT_DOUBLE_EQ(found.communication, *found.serialisation * *found.transfer);
}

TEST(PopEfficiencies, OfOneProcessThatOnlyComputesAreOne) {
  const MpiEfficiencies found = pop_efficiencies({3}, 3, 3).value();
  for (const double each : {found.parallel, found.load_balance, found.communication, *found.serialisation, *found.transfer}) {
    EXPECT_EQ(each, 1);
  }
}

TEST(PopEfficiencies, StayBelowOneWhereTimesAreMeasuredInexactly) {
  const MpiEfficiencies found = pop_efficiencies({3, 3}, 2.9, 2.8).value();
  EXPECT_EQ(found.run, 3);
  EXPECT_EQ(found.ideal_run, 3);
  EXPECT_EQ(found.communication, 1);
  EXPECT_EQ(pop_efficiencies({3, 3}, 4, 5)->transfer, 1);
}

TEST(PopEfficiencies, NeedTimeAndComputation) {
  EXPECT_EQ(pop_efficiencies({}, 1), std::nullopt);
  EXPECT_EQ(pop_efficiencies({0, 0}, 1, 1), std::nullopt);
  EXPECT_EQ(pop_efficiencies({1}, 0), std::nullopt);
  EXPECT_EQ(pop_efficiencies({1}, 2)->serialisation, std::nullopt);
}

}  // namespace
}  // namespace flopcast
