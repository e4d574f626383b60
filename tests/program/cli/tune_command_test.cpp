#include <gmock/gmock.h>

#include <algorithm>
#include <fstream>
#include <set>
#include <string>

#include <nlohmann/json.hpp>

#include "tests/own_folder.hpp"

namespace flopcast::program {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using tests::Result;

/// Tunes tests/program/cli/ldlt.c. Sampling takes what the test has time for.
class TuneCommand : public testing::Test {
 protected:
  Result tune(const std::string& arguments) {
    return tests::run_in(own_.path(), "FLOPCAST_HOME=" FLOPCAST_TEST_HOME " OPENBLAS_NUM_THREADS=1 " FLOPCAST_PROGRAM " tune " + arguments);
  }

  json tuned(const std::string& arguments) {
    const Result result = tune("--json --output tuned.json --time-budget 20s " + arguments);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return result.exit_code == 0 ? json::parse(tests::contents(own_.path() / "tuned.json")) : json();
  }

  static std::set<std::string> values_of(const json& document, const std::string& parameter) {
    std::set<std::string> all;
    for (const json& one : document.at("configurations")) {
      EXPECT_GT(one.at("predicted_seconds"), 0);
      all.insert(one.at("configuration").at(parameter).get<std::string>());
    }
    return all;
  }

  tests::OwnFolder own_;
};

TEST_F(TuneCommand, RanksAnAlgorithmThatNoLibraryHas) {
  const json document =
      tuned("--parameter nb=16:64:16 --parameter variant=left,right --condition 'nb > 16' -- " FLOPCAST_LDLT " {nb} {variant} 300");
  ASSERT_FALSE(document.is_null());
  EXPECT_EQ(document["schema"], "flopcast-program-tuning-1");
  EXPECT_EQ(values_of(document, "nb"), (std::set<std::string>{"32", "48", "64"}));
  EXPECT_EQ(document["configurations"].size(), 6U);
  EXPECT_EQ(document["configurations"][0]["verdict"], "chosen");
  EXPECT_GT(document["configurations"][0]["kernel_seconds"], 0);
  EXPECT_EQ(document["executions"], 1);
  const auto was_executed = [](const json& one) { return one.value("executed_seconds", 0.0) > 0; };
  EXPECT_EQ(std::ranges::count_if(document["configurations"], was_executed), 1);
  EXPECT_EQ(document["calls_depend_on_results"], false);
  EXPECT_THAT(document["place"], HasSubstr("with 1 thread"));
}

TEST_F(TuneCommand, TakesVariablesTemplatesAndSpaces) {
  EXPECT_EQ(values_of(tuned("--parameter LDLT_NB=16,32 -- " FLOPCAST_LDLT " - left 200"), "LDLT_NB"), (std::set<std::string>{"16", "32"}));
  std::ofstream(own_.path() / "input") << "nb = {nb}\n";
  EXPECT_EQ(values_of(tuned("--parameter nb=16,32 --template input -- " FLOPCAST_LDLT " input left 200"), "nb").size(), 2U);
  std::ofstream(own_.path() / "space.json") << R"({"schema": "flopcast-space-1", "name": "ldlt", "command": [")" FLOPCAST_LDLT
                                               R"(", "{nb}", "left", "{n}"], "parameters": {"nb": [16, 32], "n": [24, 200]},
                                                  "conditions": ["nb <= n"]})";
  const Result table = tune("--time-budget 3s --no-check space.json");
  EXPECT_EQ(table.exit_code, 0) << table.err;
  EXPECT_THAT(table.out, testing::AllOf(HasSubstr("n=24 nb=16"), HasSubstr("n=200 nb=32"), testing::Not(HasSubstr("n=24 nb=32"))));
}

TEST_F(TuneCommand, FindsCallsThatDependOnResults) {
  const json solving = tuned("--parameter nb=16,32 -- " FLOPCAST_LDLT " {nb} right 300 solve");
  EXPECT_EQ(solving["calls_depend_on_results"], true);
  EXPECT_EQ(solving["executions"], 2);
  const json verifying = tuned("--parameter nb=16,32 -- " FLOPCAST_LDLT " {nb} right 289 verify");
  EXPECT_EQ(verifying["calls_depend_on_results"], false) << "the last block has one row: dry runs end with 3, but make all calls";
}

TEST_F(TuneCommand, RacesTheBestOnRequest) {
  const json document = tuned("--validate --parameter nb=16,32 -- " FLOPCAST_LDLT " {nb} right 100");
  EXPECT_FALSE(document["race"].is_null());
  EXPECT_GE(document["race"]["commands"].size(), 1U);
}

TEST_F(TuneCommand, RefusesBadInput) {
  EXPECT_EQ(tune("--parameter nb=8,16 -- " FLOPCAST_LDLT " {nb} left 4").exit_code, 5) << "blocks are larger than the matrix";
  EXPECT_EQ(tune("--parameter nb=8,16 -- no-such-program {nb}").exit_code, 4);
  EXPECT_EQ(tune("--parameter nb -- " FLOPCAST_LDLT " {nb} left 4").exit_code, 3);
  EXPECT_EQ(tune("--parameter nb=8 --save -- " FLOPCAST_LDLT " {nb} left 4").exit_code, 2);
  const Result hung = tune("--parameter nb=1,2 --timeout 0.2s -- sleep {nb}");
  EXPECT_EQ(hung.exit_code, 5);
  EXPECT_THAT(hung.err, HasSubstr("didn't end within 200 ms"));
}

}  // namespace
}  // namespace flopcast::program
