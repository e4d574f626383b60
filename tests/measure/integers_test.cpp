#include "flopcast/measure/integers.hpp"

#include <gmock/gmock.h>

#include "flopcast/kernel/catalogue.hpp"
#include "flopcast/kernel/parse_call.hpp"
#include "flopcast/measure/placed_call.hpp"
#include "flopcast/support/error.hpp"

namespace flopcast::measure {
namespace {

Experiment factorization() {
  Experiment experiment;
  experiment.timed = {with_addresses(kernel::parse_call(kernel::require("dgetrf"), {{"m", "6"}, {"n", "6"}}))};
  experiment.memory = memory_of(experiment.timed, {});
  return experiment;
}

std::size_t pivots() { return static_cast<std::size_t>(kernel::require("dgetrf").index("ipiv")); }

TEST(Integers, GetTheSpaceThatTheLibraryNeeds) {
  Experiment experiment = factorization();
  Call& call = experiment.timed.front();
  call.arguments[pivots()] += 8;  // behind two others
  experiment.memory.at(1).bytes += 8;
  Action flush;
  flush.what = Action::What::flush;
  flush.region = {call.address(pivots()), 24, 1, 24, 0};
  experiment.setup = {flush};

  const Experiment wide = with_integers(experiment, 8);

  EXPECT_EQ(wide.timed.front().integer_bytes, 8);
  EXPECT_EQ(wide.memory.at(0).bytes, experiment.memory.at(0).bytes);
  EXPECT_EQ(wide.memory.at(1).bytes, 64);
  EXPECT_EQ(wide.timed.front().address(pivots()), virtual_base(1) + 16);
  EXPECT_EQ(wide.setup.front().region, (Region{virtual_base(1) + 16, 48, 1, 48, 0}));
}

TEST(Integers, StayWhereTheLibraryTakesThem) {
  const Experiment experiment = factorization();
  const Experiment same = with_integers(experiment, 4);
  EXPECT_EQ(same.timed, experiment.timed);
  EXPECT_EQ(same.memory.at(1).bytes, experiment.memory.at(1).bytes);
}

TEST(Integers, OfARecordedProgramAreRefusedByALibraryOfTheOtherWidth) {
  Experiment wide = factorization();
  wide.timed.front().integer_bytes = 8;
  EXPECT_THROW(with_integers(wide, 4), Error);

  Experiment mixed = factorization();  // the pivots lie where the matrix does
  mixed.timed.front().arguments[pivots()] = static_cast<std::int64_t>(virtual_base(0) + 4096);
  EXPECT_THROW(with_integers(mixed, 8), Error);
}

}  // namespace
}  // namespace flopcast::measure
