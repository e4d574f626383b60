#include "flopcast/measure/prepared.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

#include "flopcast/kernel/catalogue.hpp"
#include "flopcast/kernel/parse_call.hpp"
#include "flopcast/measure/placed_call.hpp"
#include "flopcast/support/error.hpp"
#include "tests/measure/fake_services.hpp"

namespace flopcast::measure {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::Ne;
using ::testing::SizeIs;
using What = Action::What;

Call call_of(const std::string& routine) {
  std::map<std::string, std::string> arguments = {{"n", "1"}};
  if (routine != "ddot") {
    arguments["alpha"] = "2";
  }
  return with_addresses(kernel::parse_call(kernel::require(routine), arguments));
}

Action action(What what, const Call& call) { return {what, {}, 0, call}; }

class PreparedExperiments : public ::testing::Test {
 protected:
  void SetUp() override { reset_fake_world(); }

  void repeat(const Experiment& experiment, int times = 1) {
    Memory memory(memory_bytes(experiment));
    Prepared prepared(experiment, memory.begin(), fake_backend(), 1);
    Sweeper sweeper({});
    std::array<std::int64_t, 10> ticks{};
    for (int i = 0; i < times; ++i) {
      prepared.set_up(sweeper);
      prepared.run(fake_backend().wall, ticks.data());
    }
  }
};

TEST_F(PreparedExperiments, DoesTheSetupInOrderBeforeTheTimedCalls) {
  Experiment experiment;
  experiment.timed = {call_of("daxpy"), call_of("dscal")};
  experiment.setup = {action(What::fill, call_of("dscal")), action(What::execute, call_of("dscal")),
                      action(What::execute, call_of("dscal"))};
  experiment.memory = memory_of(experiment.timed, experiment.setup);
  repeat(experiment);
  EXPECT_THAT(fake_services().log, ElementsAre("dscal", "dscal", "daxpy", "dscal"));
  const std::vector<double>& x = fake_services().first_values;
  ASSERT_NE(x[0], 0);
  EXPECT_THAT(x, ElementsAre(x[0], 2 * x[0], 4 * x[0], 4 * x[0]));
}

TEST_F(PreparedExperiments, FillsWithNewValuesBeforeEveryRepetition) {
  Experiment experiment;
  experiment.timed = {call_of("dscal")};
  experiment.setup = {action(What::fill, call_of("dscal"))};
  experiment.memory = memory_of(experiment.timed, {});
  repeat(experiment, 3);
  const std::vector<double> x = fake_services().first_values;
  ASSERT_EQ(x.size(), 3);
  EXPECT_THAT(x[1], AllOf(Ne(x[0]), Ne(2 * x[0])));
  EXPECT_THAT(x[2], AllOf(Ne(x[0]), Ne(x[1]), Ne(2 * x[1])));
  fake_services().first_values.clear();
  repeat(experiment, 3);
  EXPECT_EQ(fake_services().first_values, x);  // the same seed, the same values
}

TEST_F(PreparedExperiments, RepeatsABatchOnTheSameOperands) {
  Experiment experiment;
  experiment.timed = {call_of("dscal")};
  experiment.setup = {action(What::fill, call_of("dscal"))};
  experiment.memory = memory_of(experiment.timed, {});
  experiment.batch = 3;
  repeat(experiment);
  const std::vector<double>& x = fake_services().first_values;
  EXPECT_THAT(x, ElementsAre(x[0], 2 * x[0], 4 * x[0]));
}

TEST_F(PreparedExperiments, GivesEachCallOfASeparateBatchItsOwnOperands) {
  Experiment experiment;
  experiment.timed = {call_of("dscal")};
  experiment.setup = {action(What::fill, call_of("dscal")), action(What::execute, call_of("dscal"))};
  experiment.memory = memory_of(experiment.timed, {});
  experiment.batch = 3;
  experiment.separate = true;
  repeat(experiment);
  const std::vector<double>& x = fake_services().first_values;  // all copies are set up first, then all are timed
  ASSERT_EQ(x.size(), 6);
  EXPECT_NE(x[0], x[1]);
  EXPECT_NE(x[1], x[2]);
  EXPECT_THAT(x, ElementsAre(x[0], x[1], x[2], 2 * x[0], 2 * x[1], 2 * x[2]));
}

TEST_F(PreparedExperiments, TouchesRegionsAndKeepsTheirValues) {
  Experiment experiment;
  experiment.timed = {call_of("dscal")};
  const Region x_region = operands(experiment.timed[0])[0].parts[0];
  experiment.setup = {action(What::fill, call_of("dscal"))};
  experiment.memory = memory_of(experiment.timed, {});
  repeat(experiment, 2);
  const std::vector<double> untouched = fake_services().first_values;
  ASSERT_THAT(untouched, SizeIs(2));
  fake_services().first_values.clear();
  experiment.setup.insert(experiment.setup.end(),
                          {{What::flush, x_region, 0, {}}, {What::read, x_region, 0, {}}, {What::write, x_region, 0, {}}});
  repeat(experiment, 2);
  EXPECT_EQ(fake_services().first_values, untouched);
}

TEST_F(PreparedExperiments, ReadsTheClockOnceBetweenCalls) {
  Experiment experiment;
  experiment.timed = {call_of("ddot"), call_of("ddot"), call_of("ddot")};
  experiment.memory = memory_of(experiment.timed, {});
  Memory memory(memory_bytes(experiment));
  Prepared prepared(experiment, memory.begin(), fake_backend(), 1);
  std::array<std::int64_t, 4> ticks{};
  prepared.run(fake_backend().wall, ticks.data());
  EXPECT_EQ(prepared.intervals(), 3);
  EXPECT_THAT(ticks, ElementsAre(1, 102, 203, 304));
  EXPECT_EQ(prepared.functions().size(), 1);
}

TEST_F(PreparedExperiments, PerformsTimedCallsInPlaceOfTheLibrary) {
  Experiment experiment;
  experiment.timed = {call_of("dscal")};
  experiment.setup = {action(What::fill, call_of("dscal")), action(What::perform, call_of("dscal"))};
  experiment.memory = memory_of(experiment.timed, experiment.setup);
  std::vector<std::uintptr_t> addresses;
  experiment.perform = [&](const Call& call) {
    addresses.push_back(operands(call)[0].parts[0].address);
    return 7;
  };
  Memory memory(memory_bytes(experiment));
  Prepared prepared(experiment, memory.begin(), fake_backend(), 1);
  Sweeper sweeper({});
  std::array<std::int64_t, 2> ticks{};
  prepared.set_up(sweeper);
  prepared.run(fake_backend().wall, ticks.data());
  EXPECT_THAT(fake_services().log, ::testing::IsEmpty());
  EXPECT_THAT(addresses, ElementsAre(memory.begin(), memory.begin())) << "real addresses";
  EXPECT_EQ(prepared.intervals(), 1U);
  EXPECT_EQ(prepared.info(0), 7);
}

TEST_F(PreparedExperiments, ChangesTheNumbersOfAFillAtRealAddresses) {
  Experiment experiment;
  experiment.timed = {call_of("dscal")};
  experiment.setup = {action(What::fill, call_of("dscal")), action(What::change, call_of("dscal")),
                      action(What::execute, call_of("dscal"))};
  experiment.setup[1].change = [](const Call& call) { *reinterpret_cast<double*>(operands(call)[0].parts[0].address) = 3; };
  experiment.memory = memory_of(experiment.timed, experiment.setup);
  repeat(experiment, 2);
  EXPECT_THAT(fake_services().first_values, ElementsAre(3, 6, 3, 6));
}

TEST_F(PreparedExperiments, RefusesToPerformWithoutAPerformer) {
  Experiment experiment;
  experiment.timed = {call_of("dscal")};
  experiment.setup = {action(What::perform, call_of("dscal"))};
  experiment.memory = memory_of(experiment.timed, experiment.setup);
  EXPECT_THROW(memory_bytes(experiment), Error);
}

}  // namespace
}  // namespace flopcast::measure
