#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "flopcast/support/scratch.hpp"
#include "tests/cli/roofline_document.hpp"
#include "tests/cli/run_program.hpp"

namespace flopcast::testing {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class ComparedFiles : public ::testing::Test {
 protected:
  /// Writes the race of some commands, each with an interval of 1 % to either side, and returns its file.
  [[nodiscard]] std::string race(const std::string& name, const std::vector<double>& seconds, const std::string& cpu = "X") const {
    json commands = json::array();
    for (std::size_t i = 0; i < seconds.size(); ++i) {
      commands.push_back({{"name", "case " + std::to_string(i)},
                          {"elapsed_seconds", seconds[i]},
                          {"elapsed_seconds_interval", {0.99 * seconds[i], 1.01 * seconds[i]}}});
    }
    return folder_.write(name, json{{"schema", "flopcast-race-1"}, {"cpu", cpu}, {"commands", commands}}.dump());
  }

  ScratchFolder folder_;
};

TEST_F(ComparedFiles, TheVerdictsAreATableInMarkdownAndTheExitCode) {
  const std::string before = race("before.json", {1, 2, 4}), after = race("after.json", {1.2, 2, 3}, "Y");
  const Ended fell = flopcast({"compare", before, after});
  EXPECT_EQ(fell.code, 1) << fell.err;
  EXPECT_THAT(fell.out, StartsWith("3 compared: 1 slower, 1 faster, 1 same, 0 unsure.\nThe largest loss: case 0, +20.0 %.\n"));
  EXPECT_THAT(fell.out, AllOf(HasSubstr("- CPU: X; Y"), HasSubstr("|:---"), HasSubstr("1.200")));
  EXPECT_EQ(flopcast({"compare", before, before}).code, 0);
  EXPECT_EQ(flopcast({"compare", "--fail-above", "15%", before, after}).code, 1);
  const Ended allowed = flopcast({"compare", "--fail-above", "25%", before, after});
  EXPECT_EQ(allowed.code, 0);
  EXPECT_THAT(allowed.out, HasSubstr("within the allowed 25.0 %"));
}

TEST_F(ComparedFiles, ProgramsReadThemAsJsonAndCsv) {
  const std::string before = race("before.json", {1, 2}), after = race("after.json", {1.2, 2});
  const json document = json::parse(flopcast({"compare", "--json", before, after}).out);
  EXPECT_EQ(document.at("schema"), "flopcast-comparison-1");
  EXPECT_EQ(document.at("fails"), true);
  EXPECT_EQ(document.at("quantities")[0].at("verdict"), "slower");
  const Ended table = flopcast({"compare", "--csv", before, after});
  EXPECT_THAT(table.out, StartsWith("name,unit,before,after,before_interval_low,before_interval_high,"));
  EXPECT_THAT(table.out, HasSubstr("\ncase 0,s,1,1.2,0.99,1.01,"));
}

TEST_F(ComparedFiles, ALongTableHasTheDifferencesOnly) {
  std::vector<double> seconds(30, 1);
  const std::string before = race("before.json", seconds);
  seconds[7] = 1.5;
  const Ended ended = flopcast({"compare", before, race("after.json", seconds)});
  EXPECT_THAT(ended.out, AllOf(HasSubstr("| case 7 "), Not(HasSubstr("| case 8 ")), HasSubstr("not shown: 29 with the verdict")));
}

TEST_F(ComparedFiles, BaselinesAreKeptByName) {
  const std::string before = race("before.json", {1}), after = race("after.json", {1.2});
  const Ended kept = flopcast({"compare", "--save-baseline", "compared-files", before});
  EXPECT_EQ(kept.code, 0) << kept.err;
  EXPECT_THAT(kept.err, HasSubstr("baseline compared-files: "));
  EXPECT_EQ(flopcast({"compare", "--baseline", "compared-files", after}).code, 1);
  EXPECT_EQ(flopcast({"compare", "--baseline", "compared-files", before}).code, 0);
  EXPECT_EQ(flopcast({"compare", "--baseline", "compared-files", before, after}).code, 2);
  const Ended unknown = flopcast({"compare", "--baseline", "no-such", after});
  EXPECT_EQ(unknown.code, 3);
  EXPECT_THAT(unknown.err, AllOf(HasSubstr("there is no baseline 'no-such'"), HasSubstr("compared-files")));
}

TEST_F(ComparedFiles, BadInputEndsWithAMessageAndWritesNothing) {
  const std::string race_file = race("race.json", {1}), output = folder_.file("output.md");
  const std::string cut = folder_.write("cut.json", R"({"schema": "flopcast-race-1", "commands": [{"name")");
  const std::string newer = folder_.write("newer.json", R"({"schema": "flopcast-race-9"})");
  const std::string other = folder_.write("other.json", R"({"schema": "flopcast-recording-1", "seconds": 1})");
  const std::string timeless = folder_.write("timeless.json", R"({"schema": "flopcast-verification-1"})");
  const auto refusal = [&](const std::string& file) {
    const Ended ended = flopcast({"compare", race_file, file, "--output", output});
    EXPECT_EQ(ended.code, 3) << file;
    EXPECT_FALSE(std::ifstream(output).good()) << file;
    return ended.err;
  };
  EXPECT_THAT(refusal(cut), HasSubstr("cut.json"));
  EXPECT_THAT(refusal(newer), HasSubstr("was written by a newer flopcast"));
  EXPECT_THAT(refusal(other), HasSubstr("must be of one kind"));
  EXPECT_THAT(refusal(timeless), HasSubstr("hold no times or rates"));
  EXPECT_THAT(refusal("/nonexistent"), HasSubstr("/nonexistent"));
}

/// A roof that only drifts within a run isn't lower in the next one.
TEST_F(ComparedFiles, RooflinesAreComparedWithTheirDrift) {
  const auto roofline = [](const std::vector<double>& samples) {
    const json memory = {
        {"level", "memory"},     {"stream", "triad"},     {"nontemporal", false},      {"threads", 2},
        {"flops_per_byte", 0.1}, {"moved_per_byte", 1.0}, {"working_set_bytes", 1000}, {"bytes_per_second", {{"samples", samples}}}};
    return roofline_document(json::array(), json::array({memory})).dump();
  };
  const std::string steady = folder_.write("steady.json", roofline({1e10, 1.01e10, 1e10, 1.01e10}));
  const std::string lower = folder_.write("lower.json", roofline({7e9, 7.1e9, 7e9, 7.1e9}));
  const std::string drifting = folder_.write("drifting.json", roofline({7e9, 7.1e9, 1e10, 1.01e10}));
  const Ended fell = flopcast({"compare", steady, lower});
  EXPECT_EQ(fell.code, 1) << fell.err;
  EXPECT_THAT(fell.out, HasSubstr("The largest loss: bandwidth memory triad, 2 threads, -29.9 %."));
  EXPECT_EQ(flopcast({"compare", lower, steady}).code, 0);
  EXPECT_THAT(flopcast({"compare", steady, drifting}).out, StartsWith("1 compared: 0 slower, 0 faster, 0 same, 1 unsure."));
}

}  // namespace
}  // namespace flopcast::testing
