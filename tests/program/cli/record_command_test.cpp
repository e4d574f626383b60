#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "tests/own_folder.hpp"

namespace flopcast::program {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using tests::contents;
using tests::Result;

bool succeeds(const std::string& command) { return std::system((command + " >/dev/null 2>&1").c_str()) == 0; }

class RecordCommand : public testing::Test {
 protected:
  /// Runs `flopcast record` in this test's folder.
  Result record(const std::string& arguments) { return tests::run_in(folder_, "FLOPCAST_HOME=. " FLOPCAST_PROGRAM " record " + arguments); }

  /// Returns whether disks can be mounted in an unprivileged process.
  [[nodiscard]] bool can_mount() const {
    return succeeds("unshare --user --map-root-user --mount sh -c 'mount -t tmpfs -o size=64k tmpfs " + folder_.string() + "'");
  }

  /// Records a client, checks that it did its work, and returns the recording.
  nlohmann::json recording_of(const std::string& client, const std::string& expected_output) {
    const Result recorded = record("-- " + client);
    EXPECT_EQ(recorded.exit_code, 0) << recorded.err;
    EXPECT_THAT(recorded.out, HasSubstr(expected_output));
    return nlohmann::json::parse(record("--quiet --show flopcast.trace --json").out);
  }

  static std::int64_t calls(const nlohmann::json& recording, const std::string& routine) {
    for (const nlohmann::json& sum : recording.at("routines")) {
      if (sum.at("routine") == routine) {
        return sum.at("calls").get<std::int64_t>();
      }
    }
    return 0;
  }

  tests::OwnFolder own_;
  const fs::path& folder_ = own_.path();
};

TEST_F(RecordCommand, RecordsOctave) {
  if (!succeeds("command -v octave-cli")) {
    GTEST_SKIP() << "octave-cli is not installed";
  }
  const nlohmann::json recording =
      recording_of("octave-cli --eval 'A = rand(50); [q, r] = qr(A); disp(norm(q * r - A) < 1e-10); svd(A);'", "1");
  EXPECT_EQ(calls(recording, "dgeqrf"), 1);
  EXPECT_GT(calls(recording, "dgesvd"), 0);
}

TEST_F(RecordCommand, RecordsNumpy) {
  const std::string python = "/usr/bin/python3";
  if (!succeeds(python + " -c 'import numpy'")) {
    GTEST_SKIP() << "NumPy is not installed";
  }
  const nlohmann::json recording = recording_of(
      python + " -c 'import numpy as n; a = n.random.rand(50, 50); q, r = n.linalg.qr(a); print(abs(q @ r - a).max() < 1e-12)'", "True");
  EXPECT_EQ(calls(recording, "dgeqrf"), 1);
  EXPECT_EQ(calls(recording, "dgemm"), 1);  // called as cblas_dgemm
}

#ifdef FLOPCAST_EXAMPLE_QR
TEST_F(RecordCommand, RecordsFortran) {
  const nlohmann::json recording = recording_of(FLOPCAST_EXAMPLE_QR " 50", "residual");
  EXPECT_EQ(calls(recording, "dgeqrf"), 1);  // its workspace query is no call
}
#endif

TEST_F(RecordCommand, ReportsTheRecording) {
  const Result result = record("--output c.trace -- " FLOPCAST_EXAMPLE_CHOLESKY " 50");

  EXPECT_EQ(result.exit_code, 0);
  EXPECT_THAT(result.err, AllOf(HasSubstr("in 1 thread of 1 process"), HasSubstr("c.trace")));
  EXPECT_THAT(record("--show c.trace").out, HasSubstr("| dpotrf"));
  EXPECT_THAT(record("--show c.trace --every-call").out, HasSubstr("dpotrf(L, 50, 0x"));
  EXPECT_THAT(record("--show c.trace --csv").out, HasSubstr("dpotrf,1,"));
  const nlohmann::json events = nlohmann::json::parse(record("--show c.trace --every-call --json").out).at("events");
  EXPECT_EQ(events.at(0).at("routine"), "dpotrf");
}

TEST_F(RecordCommand, KeepsOutputAndExitCode) {
  const Result result = record("--quiet -- sh -c 'echo one; exit 42'");
  EXPECT_EQ(result.exit_code, 42);
  EXPECT_EQ(result.out, "one\n");
  EXPECT_THAT(result.err, IsEmpty());
  EXPECT_EQ(record("-- sh -c 'kill -INT $$'").exit_code, 130);
}

TEST_F(RecordCommand, ReportsThatThereWereNoCalls) {
  const Result result = record("-- true");
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_THAT(result.err, HasSubstr("no BLAS or LAPACK call was seen"));
}

TEST_F(RecordCommand, ADryRunThatCantBeTrustedFails) {
  const Result result = record("--skip-kernels -- " FLOPCAST_RECORDED_PROGRAM " look");
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.err, HasSubstr("1 value that the program may branch on came from data that was never computed: dnrm2 (1)"));
  EXPECT_EQ(record("--skip-kernels -- " FLOPCAST_RECORDED_PROGRAM " look-away").exit_code, 0);
}

TEST_F(RecordCommand, AProgramRunsOnWhereTheDiskOfTheRecordingIsFull) {
  if (!can_mount()) {
    GTEST_SKIP() << "no disk can be mounted here";
  }
  for (const int pages : {0, 1, 2, 3, 10, 18, 19, 40}) {  // pages of free room
    const std::string run = "cd " + (folder_ / "full").string() + " && head -c " + std::to_string(262144 - 4096 * pages) +
                            " /dev/zero >zeros; FLOPCAST_HOME=.. " FLOPCAST_PROGRAM
                            " record --output full.trace -- " FLOPCAST_EXAMPLE_CHOLESKY " 100 >../out 2>../err; echo $? >../code";
    const std::string command = "unshare --user --map-root-user --mount sh -c 'mkdir -p " + (folder_ / "full").string() +
                                " && mount -t tmpfs -o size=256k tmpfs " + (folder_ / "full").string() + " && " + run + "'";
    ASSERT_EQ(std::system(command.c_str()), 0) << pages;
    const std::string code = contents(folder_ / "code");
    EXPECT_THAT(code, testing::AnyOf("0\n", "4\n")) << pages << ": " << contents(folder_ / "err");
    if (code == "0\n") {
      EXPECT_THAT(contents(folder_ / "out"), testing::Not(IsEmpty())) << pages;
    } else {
      EXPECT_THAT(contents(folder_ / "err"), HasSubstr("full.trace")) << pages;
    }
  }
}

TEST_F(RecordCommand, AProgramRunsOnWhereFilesMayNotGrow) {
  const std::string run = "ulimit -f 16; FLOPCAST_HOME=. " FLOPCAST_PROGRAM " record -- " FLOPCAST_EXAMPLE_CHOLESKY " 100 2>&1";
  const std::string piped = "cd " + folder_.string() + " && bash -c 'set -o pipefail; (" + run + ") | cat >out'";
  EXPECT_EQ(WEXITSTATUS(std::system(piped.c_str())), 0) << contents(folder_ / "out");
  EXPECT_THAT(contents(folder_ / "out"), HasSubstr("the program goes on without being recorded"));
}

TEST_F(RecordCommand, RefusesBadInput) {
  const std::vector<std::pair<const char*, int>> codes = {{"", 2},
                                                          {"--show a -- true", 2},
                                                          {"--every-call -- true", 2},
                                                          {"--show a --skip-kernels", 2},
                                                          {"--show no-such-file", 3},
                                                          {"-- no-such-program", 4},
                                                          {"--output /no/such/folder/file -- true", 4},
                                                          {"--output /dev/full -- true", 4}};
  for (const auto& [arguments, code] : codes) {
    EXPECT_EQ(record(arguments).exit_code, code) << arguments;
  }
  EXPECT_THAT(record("-- " FLOPCAST_STATIC_PROGRAM).err, HasSubstr("linked statically"));
  EXPECT_FALSE(fs::exists(folder_ / "flopcast.trace"));
}

}  // namespace
}  // namespace flopcast::program
