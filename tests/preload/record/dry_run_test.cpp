#include "flopcast/program/recorded_place.hpp"

#include <gmock/gmock.h>

#include <filesystem>
#include <string>

#include "flopcast/machine/libraries/installed_libraries.hpp"
#include "flopcast/program/program_trace.hpp"
#include "tests/program/blas/program_recordings.hpp"

namespace flopcast::program {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

TEST_F(ProgramRecording, ADryRunSkipsCallsAndMarksBlindDecisions) {
  const ProgramTrace safe = record("look-away", 0, true);
  ASSERT_EQ(safe.events.at(0).size(), 2U);
  EXPECT_EQ(safe.events[0][0].treatment, protocol::Treatment::skipped);
  EXPECT_EQ(safe.events[0][1].treatment, protocol::Treatment::executed);
  EXPECT_EQ(safe.events[0][0].seconds, 0);
  EXPECT_GT(safe.events[0][0].skipping, 0) << "time that isn't the program's own";
  EXPECT_LE(safe.events[0][0].start + safe.events[0][0].skipping, safe.events[0][1].start);
  EXPECT_EQ(safe.events[0][1].skipping, 0);

  const ProgramTrace unsafe = record("look", 0, true);
  EXPECT_EQ(unsafe.events.at(0).at(1).treatment, protocol::Treatment::skipped_blindly);
}

TEST_F(ProgramRecording, ASkippedCallReportsSuccess) {
  testing::internal::CaptureStdout();
  const ProgramTrace trace = record("factor", 0, true);
  const std::string unused = testing::internal::GetCapturedStdout();
  EXPECT_THAT(unused, HasSubstr("0"));
  EXPECT_EQ(trace.events.at(0).at(0).treatment, protocol::Treatment::skipped);
}

TEST_F(ProgramRecording, ADryRunKnowsTheBlasBehindASkippedLapack) {
  const auto file = [](const char* name, machine::Role role) { return machine::locate(name, role); };
  if (machine::default_lapack().empty() || machine::default_blas() != "openblas-serial") {
    GTEST_SKIP() << "OpenBLAS and the reference LAPACK are not installed";
  }
  testing::internal::CaptureStdout();
  const ProgramTrace trace =
      record("factor", 0, true, {file("openblas-serial", machine::Role::blas), file("reference", machine::Role::lapack)});
  testing::internal::GetCapturedStdout();
  ASSERT_EQ(trace.events.at(0).size(), 1U);
  EXPECT_EQ(trace.events[0][0].treatment, protocol::Treatment::skipped);
  const RecordedPlace place = recorded_place(trace.summary);
  EXPECT_EQ(place.blas, "openblas-serial");
  EXPECT_EQ(place.lapack, "reference");
}

TEST_F(ProgramRecording, ADryRunSkipsCallsWithLongWorkspaces) {
  const ProgramTrace trace = record("long-workspace", 0, true);
  ASSERT_EQ(trace.events.at(0).size(), 1U);
  EXPECT_EQ(trace.events[0][0].treatment, protocol::Treatment::skipped);
}

}  // namespace
}  // namespace flopcast::program
