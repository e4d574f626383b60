#include "flopcast/support/error.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <stdexcept>

#include "flopcast/machine/libraries/in_child.hpp"
#include "flopcast/machine/libraries/inspect_library.hpp"
#include "flopcast/machine/libraries/library_identity.hpp"
#include "flopcast/machine/machine_file.hpp"
#include "flopcast/machine/machine_file_json.hpp"

namespace flopcast::machine {
namespace {

using ::testing::HasSubstr;

std::string failure_of(const std::function<nlohmann::json()>& work, Seconds limit = 10) {
  try {
    (void)in_child(work, limit);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(InChild, ReturnsTheChildsResult) {
  const std::string large(200000, 'x');
  EXPECT_EQ(in_child([&] { return nlohmann::json{{"text", large}}; }, 10).at("text"), large);
}

TEST(InChild, HidesTheChildsOutput) {
  ::testing::internal::CaptureStdout();
  (void)in_child(
      [] {
        std::puts("a banner");
        std::fflush(stdout);
        return nlohmann::json(1);
      },
      10);
  EXPECT_EQ(::testing::internal::GetCapturedStdout(), "");
}

TEST(InChild, ReportsHowTheChildFailed) {
  EXPECT_THAT(failure_of([]() -> nlohmann::json { throw std::runtime_error("no such routine"); }), HasSubstr("no such routine"));
  EXPECT_THAT(failure_of([]() -> nlohmann::json {
                std::raise(SIGKILL);
                return {};
              }),
              HasSubstr("crashed"));
  EXPECT_THAT(failure_of([]() -> nlohmann::json { _exit(3); }), HasSubstr("without an answer"));
  EXPECT_THAT(failure_of(
                  []() -> nlohmann::json {
                    sleep(60);
                    return {};
                  },
                  0.05),
              HasSubstr("no answer within"));
}

TEST(InspectLibrary, ReportsAFileThatCannotBeLoaded) {
  const LibraryReport report = inspect({"reference", "/nowhere/libblas.so.3", true, false}, false);
  EXPECT_THAT(report.failure, HasSubstr("/nowhere/libblas.so.3"));
}

TEST(LibraryReport, PointsOutOnlyKernelsThatAreMuchFaster) {
  LibraryReport report;
  EXPECT_EQ(report.better(), nullptr);
  report.dgemm_flops = 40e9;
  report.trials = {{"OPENBLAS_CORETYPE=SkylakeX", "SkylakeX", 48e9}, {"OPENBLAS_CORETYPE=Zen", "Zen", 30e9}};
  EXPECT_EQ(report.better(), nullptr);
  report.trials.front().dgemm_flops = 52e9;
  ASSERT_NE(report.better(), nullptr);
  EXPECT_EQ(report.better()->setting, "OPENBLAS_CORETYPE=SkylakeX");
}

LibraryReport report_of(const std::string& threading, const std::string& version, double rate) {
  LibraryReport report;
  report.identity = {"openblas", "/lib/" + threading + ".so", version, "SkylakeX", threading, threading};
  report.dgemm_flops = rate;
  return report;
}

TEST(SlowLibraries, AreThoseThatWereFasterBefore) {
  const std::vector<LibraryReport> reports = {report_of("serial", "1", 6.76e9)};
  const std::string key = library_key(reports[0].identity);
  EXPECT_TRUE(slow_libraries(reports, {}).empty()) << "nothing is known yet";
  EXPECT_EQ(slow_libraries(reports, {{key, 16e9}}), (std::vector<SlowDgemm>{{0, 16e9}}));
  EXPECT_TRUE(slow_libraries(reports, {{key, 8e9}}).empty()) << "less than a quarter";
}

TEST(SlowLibraries, AreThoseWhoseKernelsAreFasterInAnotherBuild) {
  EXPECT_EQ(slow_libraries({report_of("serial", "1", 6.76e9), report_of("pthread", "1", 16e9)}, {}), (std::vector<SlowDgemm>{{0, 16e9}}));
  EXPECT_TRUE(slow_libraries({report_of("serial", "1", 6.76e9), report_of("pthread", "2", 16e9)}, {}).empty()) << "of another version";
  EXPECT_TRUE(slow_libraries({report_of("serial", "1", 0), report_of("pthread", "1", 16e9)}, {}).empty()) << "it wasn't timed";
}

}  // namespace
}  // namespace flopcast::machine
