#include "flopcast/tasks/modelling/machine_report.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "flopcast/machine/libraries/library_identity.hpp"
#include "flopcast/support/error.hpp"
#include "flopcast/tasks/modelling/machine_tools.hpp"
#include "flopcast/tasks/modelling/modelling_schemas.hpp"
#include "tests/schema_check.hpp"

namespace flopcast {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;

machine::LibraryReport library(const std::string& name, double rate) {
  machine::LibraryReport report;
  report.installed = {name, "/lib/" + name + ".so", true, false};
  report.identity = {name, "/lib/" + name + ".so", "1.2", "Zen", "serial", "digest of " + name};
  report.dgemm_flops = rate;
  return report;
}

machine::MachineMeasurement measurement(const std::string& cpu) {
  machine::MachineMeasurement found;
  found.cpu = cpu;
  found.sweep.triad = {{4096, 1e-11}, {8192, 2e-11}};
  found.sweep.chase = {{4096, 1e-9}};
  found.sweep.parallel_chase = {{4096, 5e-10}};
  found.hierarchy.levels = {{.name = "L1", .capacity_bytes = 32768, .bandwidth = 1e11}};
  found.hierarchy.patterns = {{32768, 30000, 31000}};
  found.hierarchy.memory_bandwidth = 1e10;
  found.hierarchy.memory_latency = 1e-7;
  return found;
}

/// A machine with two kinds of cores and two libraries, whose rates follow each other.
class MachineReports : public ::testing::Test {
 protected:
  MachineReports() {
    topology_.cpu = "a CPU";
    topology_.cores = 4;
    topology_.usable = {0, 1, 2, 3};
    topology_.places = {{0, 0, 0, 0}, {1, 1, 0, 0}, {2, 2, 0, 1}, {3, 3, 0, 1}};
    topology_.usable_cores = 4;
    topology_.caches = {{1, 32768, 64, 8, 1}};
    topology_.kinds = {{"performance", {0, 1}, 2, 4e9, {{1, 32768, 64, 8, 1}}}, {"efficiency", {2, 3}, 2, 3e9, {}}};
    topology_.nominal_hertz = 2.5e9;
    topology_.invariant_tsc = true;
    rates_ = {{"openblas", {10e9}}, {"blis", {8e9}}};
  }

  MachineTools tools() {
    return {[this] { return topology_; },
            [this] {
              std::vector<machine::InstalledLibrary> installed;
              for (const auto& [name, unused] : rates_) {
                installed.push_back(library(name, 0).installed);
              }
              return installed;
            },
            [this](const machine::InstalledLibrary& installed) {
              std::vector<double>& rates = rates_.at(installed.name);
              const double rate = rates.front();
              if (rates.size() > 1) {
                rates.erase(rates.begin());
              }
              return library(installed.name, rate);
            },
            [this](const machine::Topology& topology) {
              measured_.push_back(topology.usable);
              machine::MachineMeasurement found = measurement(topology.cpu);
              found.dgemm_rates = known_rates_;
              return found;
            },
            [](const machine::Topology&) {
              return std::vector<machine::BandwidthShare>{{2, 0.9, 0.6}};
            },
            [this](const machine::Topology&, const std::map<std::string, double>& rates) { kept_ = rates; },
            [] {
              return ClockReport{{1e-9, 2e-9}, {3e-9, 4e-9}, true, 2e9, 3.9e9, {0.01, 0.02, 0, 20e-6}};
            },
            [this](Seconds seconds) { paused_ += seconds; }};
  }

  static std::string key(const std::string& name) { return machine::library_key(library(name, 0).identity); }

  machine::Topology topology_;
  std::map<std::string, std::vector<double>> rates_;  ///< rates that inspections of each library find; the last one stays
  std::map<std::string, double> known_rates_, kept_;
  std::vector<std::vector<int>> measured_;
  Seconds paused_ = 0;
};

TEST_F(MachineReports, NameCachesOnWhichSystemAndMeasurementDisagree) {
  MachineReport report = inspect_machine(tools(), {});
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
  const MachineReport report = inspect_machine(tools(), {});
  EXPECT_EQ(report.topology, topology_);
  EXPECT_THAT(measured_, ElementsAre(topology_.usable, std::vector<int>{2, 3}));
  ASSERT_EQ(report.other_kinds.size(), 1U);
  EXPECT_EQ(report.measurement.bandwidth_shares->front().memory, 0.6);
  EXPECT_THAT(report.libraries, ElementsAre(library("blis", 8e9), library("openblas", 10e9)));
  EXPECT_THAT(report.slow, IsEmpty());
  EXPECT_EQ(paused_, 0);
  EXPECT_THAT(kept_, ::testing::UnorderedElementsAre(Pair(key("blis"), 8e9), Pair(key("openblas"), 10e9)));
  EXPECT_THAT(findings(report), IsEmpty());
}

TEST_F(MachineReports, TimeASlowLibraryAgain) {
  known_rates_[key("blis")] = 8e9;
  rates_["blis"] = {3e9, 4e9, 8.5e9};
  const MachineReport report = inspect_machine(tools(), {});
  EXPECT_EQ(report.libraries.front().dgemm_flops, 8.5e9);
  EXPECT_THAT(report.slow, IsEmpty());
  EXPECT_EQ(paused_, 1);
  EXPECT_EQ(kept_.at(key("blis")), 8.5e9);
}

TEST_F(MachineReports, SayThatALibraryStaysSlow) {
  known_rates_[key("openblas")] = 40e9;
  const MachineReport report = inspect_machine(tools(), {});
  EXPECT_THAT(report.slow, ElementsAre(machine::SlowDgemm{1, 40e9}));
  EXPECT_EQ(paused_, 1.5);
  EXPECT_THAT(findings(report), ElementsAre(AllOf(HasSubstr("restless"), HasSubstr("openblas"), HasSubstr("40"))));
}

TEST_F(MachineReports, BindNoThreadToTheCpusOfAnotherSystem) {
  topology_.this_system = false;
  const MachineReport report = inspect_machine(tools(), {});
  EXPECT_EQ(measured_.size(), 1U);
  EXPECT_TRUE(report.measurement.bandwidth_shares->empty());
}

TEST_F(MachineReports, EndWhereTheyAreCancelled) {
  RunContext context;
  context.cancelled = [] { return true; };
  EXPECT_THROW(static_cast<void>(inspect_machine(tools(), context)), Cancelled);
  EXPECT_THAT(measured_, IsEmpty());
}

TEST(MachineFindings, BeginWithTheLoadBesideWhichCachesWereMeasured) {
  MachineReport report;
  report.measurement.busy_cores = 1.7;
  report.libraries = {library("openblas", 10e9)};
  EXPECT_THAT(findings(report), ElementsAre(AllOf(HasSubstr("the machine was restless"), HasSubstr("1.7 cores"), HasSubstr("again"))));
  report.measurement.busy_cores = 0.1;
  EXPECT_THAT(findings(report), IsEmpty());
}

TEST(MachineFindings, NameLibrariesThatFailOrMisreadTheCpu) {
  MachineReport report;
  EXPECT_THAT(findings(report), ElementsAre(HasSubstr("no BLAS or LAPACK library is installed")));
  report.libraries = {library("openblas", 10e9), library("blis", 0)};
  report.libraries[0].trials = {{"OPENBLAS_CORETYPE=SkylakeX", "SkylakeX", 30e9}};
  report.libraries[1].failure = "crashed";
  EXPECT_THAT(findings(report), ElementsAre(AllOf(HasSubstr("chose kernels 'Zen'"), HasSubstr("OPENBLAS_CORETYPE=SkylakeX")),
                                            HasSubstr("/lib/blis.so can't be used: crashed")));
}

TEST_F(MachineReports, ReadBackEqual) {
  known_rates_[key("openblas")] = 40e9;
  MachineReport report = inspect_machine(tools(), {});
  report.libraries.front().trials = {{"BLIS_ARCH_TYPE=3", "haswell", 9e9}};
  report.libraries.front().failure = "none";
  EXPECT_EQ(machine_report_from_json(to_json(report)), report);
  EXPECT_EQ(tests::schema_violation(to_json(report), machine_report_schemas()), "");
}

TEST(MachineDocuments, NameTheMemberAtFault) {
  try {
    static_cast<void>(machine_report_from_json(R"({"schema": "flopcast-machine-2", "topology": {"cpu": 5}})"));
    FAIL() << "no exception";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("topology.cpu"));
  }
}

}  // namespace
}  // namespace flopcast
