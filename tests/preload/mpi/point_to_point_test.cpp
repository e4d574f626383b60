#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include <nlohmann/json.hpp>

#include "tests/preload/mpi/mpi_run.hpp"

namespace flopcast::preload {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using tests::contents;
using tests::launcher;

TEST_P(MpiRun, MessagesThatFlopcastDoesNotSeeAreNotWaitedFor) {
  for (const char* how : {"recv", "irecv", "any", "mprobe", "iprobe", "test", "sendrecv", "persistent"}) {
    const Result result = traced(2, "--output profile.json", program("ways_program") + " unseen " + how);
    ASSERT_EQ(result.exit_code, 0) << how << result.err;
    EXPECT_EQ(result.out, "received 1.8009e+07\n") << how;
    EXPECT_THAT(result.err, HasSubstr("some messages bypass flopcast")) << how;
    EXPECT_GE(profile().at("bypassing_messages"), 3) << how;
  }
  EXPECT_EQ(traced(2, "--output profile.json", program("random_program") + " 1 20").exit_code, 0);
  EXPECT_EQ(profile().at("bypassing_messages"), 0);
  EXPECT_EQ(profile().at("prefixed_calls"), false);
}

/// Acknowledgements that nobody takes pile up in MPI, and each message is compared with all of them: in MPICH for minutes, in place of a
/// second. Open MPI's exchanges take that long where processes share a core, but it compares faster.
TEST_P(MpiRun, ManyExchangesEnd) {
  const std::string steps = GetParam() == "mpich" ? "80000" : "2000";
  const Result result = traced(2, "--quiet --output -", "timeout 100 " + program("work_program") + " " + steps + " exchanges");
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const json profile = json::parse(result.out.substr(result.out.find('{')));
  EXPECT_EQ(profile.at("ranks"), 2);
}

TEST_P(MpiRun, RefusedMessagesAreNotWaitedFor) {
  const Result result = traced(2, "--output profile.json", program("work_program") + " 5 mistake");
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("refused 3"));
}

TEST_P(MpiModes, AWaitingSenderTakesItsReceiversPath) {
  const json found = with_test_clock("rendezvous", true);
  EXPECT_EQ(products_on_path(found, 400), 5);
  EXPECT_NEAR(found.at("path").at("seconds").get<double>(), 5, 0.01);
  EXPECT_NEAR(found.at("processes").at(0).at("idle_seconds").get<double>(), 5, 0.01) << "the sender waits for all products";
}

/// A message that was skipped arrives empty, but a probe reports its full length.
TEST_P(MpiModes, ProbesReportTheLengthOfMessagesThatWereLeftOut) {
  const json found = same_as_plain(2, "lengths", "--policy conditional --no-windows --time-precision 1000");
  EXPECT_GT(kernel(found, "MPI_Send(800 bytes")->at("skipped"), 40);
}

}  // namespace
}  // namespace flopcast::preload
