#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include <nlohmann/json.hpp>

#include "tests/cli/run_program.hpp"

namespace flopcast::testing {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;

class RacedPrograms : public ::testing::Test {
 protected:
  void SetUp() override { fs::create_directories(folder_); }
  void TearDown() override { fs::remove_all(folder_); }

  /// Returns the end of `flopcast race` with these words of a shell, in a folder of the test.
  [[nodiscard]] Ended race(const std::string& words) const { return shell("cd " + folder_.string() + " && flopcast race " + words); }

  fs::path folder_ = fs::temp_directory_path() / ("flopcast-race-" + std::to_string(::getpid()));
};

TEST_F(RacedPrograms, ManyCommandsStandBetweenDashes) {
  const Ended ended = race("--json --max-runs 9 --name quick -- true -- sleep 0 -- sh -c 'test \"$1\" = --name' sh --name");
  ASSERT_EQ(ended.code, 0) << ended.err;
  const json document = json::parse(ended.out);
  EXPECT_EQ(document["schema"], "flopcast-race-1");
  ASSERT_EQ(document["commands"].size(), 3U);
  EXPECT_EQ(document["commands"][0]["name"], "quick");
  EXPECT_EQ(document["commands"][1]["command"], json({"sleep", "0"}));
  EXPECT_EQ(document["commands"][2]["command"].back(), "--name");
  EXPECT_GE(document["rounds"], 8);
  const Ended table = race("--max-runs 9 --page page.html -- true -- true");
  EXPECT_THAT(shell("cat " + (folder_ / "page.html").string()).out, HasSubstr("flopcast-race-1"));
  EXPECT_THAT(table.out, AllOf(HasSubstr("| reference |"), HasSubstr("control: the reference over itself"), HasSubstr("start-up: ")));
  EXPECT_EQ(race("-- true --").code, 2);
  EXPECT_EQ(race("-- true -- no-such-program").code, 4);
}

TEST_F(RacedPrograms, ASlowerCommandFailsTheCheck) {
  const Ended slower = race("--json --time-budget 100s --fail-above 5% --anonymous -- true -- sleep 0.2");
  EXPECT_EQ(slower.code, 1) << slower.err;
  EXPECT_EQ(json::parse(slower.out)["commands"][1]["against_reference"]["verdict"], "slower");
  EXPECT_THAT(slower.out, ::testing::Not(HasSubstr("sleep")));
  EXPECT_EQ(race("--quiet --time-budget 100s --fail-above 5% -- sleep 0.2 -- true").code, 0);
}

TEST_F(RacedPrograms, InputOutputAndFailuresAreTheCommands) {
  const Ended failed = race("-- true -- sh -c 'echo first >&2; echo the last line >&2; exit 3'");
  EXPECT_EQ(failed.code, 5);
  EXPECT_THAT(failed.err, AllOf(HasSubstr("ended with exit code 3"), HasSubstr("the last line")));
  const std::string quick = "--max-runs 1 --warmup 0 --json --ignore-failure --show-output ";
  EXPECT_EQ(race(quick + "--input in -- cat").code, 3) << "there is no file 'in'";
  std::ofstream(folder_ / "in") << "before";
  const Ended shown = race(quick + "--prepare 'echo 42 >in' --input in -- sh -c 'cat; exit 3'");
  EXPECT_EQ(shown.code, 0) << shown.err;
  EXPECT_THAT(shown.err, HasSubstr("42\n42\n"));
  EXPECT_EQ(json::parse(shown.out)["commands"][0]["failures"], 1);
}

TEST_F(RacedPrograms, AnInterruptedRaceShowsItsRunsAndGoesOn) {
  const std::string words = " -- sh -c 'echo run >>count; if [ $(wc -l <count) = 12 ]; then kill -INT $PPID; fi' -- true";
  const Ended interrupted = race("--warmup 0 --max-runs 9" + words);
  EXPECT_EQ(interrupted.code, 130);
  EXPECT_THAT(interrupted.out, AllOf(HasSubstr("| reference |"), HasSubstr("unsure")));
  EXPECT_THAT(interrupted.err, HasSubstr("interrupted; what was timed is shown and kept"));
  const Ended ended = race("--warmup 0 --max-runs 9 --json" + words);
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_GE(json::parse(ended.out)["resumed_runs"], 11) << "the first command runs twice in a round";
}

}  // namespace
}  // namespace flopcast::testing
