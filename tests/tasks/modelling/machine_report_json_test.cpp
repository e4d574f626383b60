#include "flopcast/tasks/modelling/machine_report.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "flopcast/support/error.hpp"
#include "flopcast/tasks/modelling/modelling_schemas.hpp"
#include "tests/schema_check.hpp"
#include "tests/tasks/modelling/machine_reports.hpp"

namespace flopcast {
namespace {

using ::testing::HasSubstr;

TEST_F(MachineReports, ReadBackEqual) {
  known_rates_[key("openblas")] = 40e9;
  MachineReport report = inspect_machine(services(), {});
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
