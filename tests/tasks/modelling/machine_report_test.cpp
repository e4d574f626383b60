#include "flopcast/tasks/modelling/machine_report.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "flopcast/machine/libraries/library_identity.hpp"
#include "flopcast/tasks/modelling/machine_services.hpp"
#include "tests/schema_check.hpp"
#include "tests/tasks/modelling/machine_reports.hpp"

namespace flopcast {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;

TEST_F(MachineReports, NameCachesOnWhichSystemAndMeasurementDisagree) {
  MachineReport report = inspect_machine(services(), {});
  const auto level = [](const char* name, std::int64_t low, std::int64_t high, std::int64_t reported) {
    CacheLevel made;
    made.name = name;
    made.capacity_bytes = made.capacity_low_bytes = low;
    made.capacity_high_bytes = high;
    made.reported_bytes = reported;
    return made;
  };
  constexpr std::int64_t mebibyte = std::int64_t{1} << 20;
  report.measurement.hierarchy.levels = {level("L1", 40 << 10, 48 << 10, 32 << 10), level("L2", mebibyte, mebibyte, 4 * mebibyte),
                                         level("L3", 30 * mebibyte, 32 * mebibyte, 10 * mebibyte), level("L4", mebibyte, mebibyte, 0)};
  EXPECT_THAT(findings(report), ElementsAre(AllOf(HasSubstr("the system reports 4"), HasSubstr("for L2")), HasSubstr("for L3")));
}

TEST_F(MachineReports, HoldEveryKindOfCoresAndEveryLibrary) {
  const MachineReport report = inspect_machine(services(), {});
  EXPECT_EQ(report.topology, topology_);
  EXPECT_THAT(measured_, ElementsAre(topology_.usable, std::vector<int>{2, 3}));
  ASSERT_EQ(report.other_kinds.size(), 1U);
  EXPECT_EQ(report.measurement.bandwidth_shares->front().memory, 0.6);
  EXPECT_THAT(report.libraries, ElementsAre(fake_library("blis", 8e9), fake_library("openblas", 10e9)));
  EXPECT_THAT(report.slow, IsEmpty());
  EXPECT_EQ(paused_, 0);
  EXPECT_THAT(kept_, ::testing::UnorderedElementsAre(Pair(key("blis"), 8e9), Pair(key("openblas"), 10e9)));
  EXPECT_THAT(findings(report), IsEmpty());
}

TEST_F(MachineReports, TimeASlowLibraryAgain) {
  known_rates_[key("blis")] = 8e9;
  rates_["blis"] = {3e9, 4e9, 8.5e9};
  const MachineReport report = inspect_machine(services(), {});
  EXPECT_EQ(report.libraries.front().dgemm_flops, 8.5e9);
  EXPECT_THAT(report.slow, IsEmpty());
  EXPECT_EQ(paused_, 1);
  EXPECT_EQ(kept_.at(key("blis")), 8.5e9);
}

TEST_F(MachineReports, SayThatALibraryStaysSlow) {
  known_rates_[key("openblas")] = 40e9;
  const MachineReport report = inspect_machine(services(), {});
  EXPECT_THAT(report.slow, ElementsAre(machine::SlowDgemm{1, 40e9}));
  EXPECT_EQ(paused_, 1.5);
  EXPECT_THAT(findings(report), ElementsAre(AllOf(HasSubstr("noisy"), HasSubstr("openblas"), HasSubstr("40"))));
}

TEST_F(MachineReports, BindNoThreadToTheCpusOfAnotherSystem) {
  topology_.this_system = false;
  const MachineReport report = inspect_machine(services(), {});
  EXPECT_EQ(measured_.size(), 1U);
  EXPECT_TRUE(report.measurement.bandwidth_shares->empty());
}

TEST_F(MachineReports, EndWhereTheyAreCancelled) {
  RunContext context;
  context.cancelled = [] { return true; };
  EXPECT_THROW(static_cast<void>(inspect_machine(services(), context)), Cancelled);
  EXPECT_THAT(measured_, IsEmpty());
}

TEST(MachineFindings, BeginWithTheLoadBesideWhichCachesWereMeasured) {
  MachineReport report;
  report.measurement.busy_cores = 1.7;
  report.libraries = {fake_library("openblas", 10e9)};
  EXPECT_THAT(findings(report), ElementsAre(AllOf(HasSubstr("the machine was noisy"), HasSubstr("1.7 cores"), HasSubstr("again"))));
  report.measurement.busy_cores = 0.1;
  EXPECT_THAT(findings(report), IsEmpty());
}

TEST(MachineFindings, NameLibrariesThatFailOrMisreadTheCpu) {
  MachineReport report;
  EXPECT_THAT(findings(report), ElementsAre(HasSubstr("no BLAS or LAPACK library is installed")));
  report.libraries = {fake_library("openblas", 10e9), fake_library("blis", 0)};
  report.libraries[0].trials = {{"OPENBLAS_CORETYPE=SkylakeX", "SkylakeX", 30e9}};
  report.libraries[1].failure = "crashed";
  EXPECT_THAT(findings(report), ElementsAre(AllOf(HasSubstr("chose kernels 'Zen'"), HasSubstr("OPENBLAS_CORETYPE=SkylakeX")),
                                            HasSubstr("/lib/blis.so can't be used: crashed")));
}

}  // namespace
}  // namespace flopcast
