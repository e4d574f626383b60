#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/cli/run_program.hpp"

namespace flopcast::testing {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

/// The kernels of which a routine's prediction consists.
std::vector<std::string> predicted_kernels(const std::vector<std::string>& arguments) {
  std::vector<std::string> command = {"predict", "--json", "--explain", "--quiet", "--time-budget", "0.3s"};
  command.insert(command.end(), arguments.begin(), arguments.end());
  const Ended ended = flopcast(command);
  EXPECT_EQ(ended.code, 0) << ended.err;
  const nlohmann::json document = nlohmann::json::parse(ended.out, nullptr, false);
  std::vector<std::string> kernels;
  for (const nlohmann::json& part : document.at("predictions").at(0).at("kernels")) {
    kernels.push_back(part.at("key").at("routine").get<std::string>());
    EXPECT_GT(part.at("seconds").get<double>(), 0);
  }
  std::sort(kernels.begin(), kernels.end());
  return kernels;
}

TEST(Predict, RoutinesWhoseCallsHoldTheirWorkByTheseCalls) {
  EXPECT_THAT(predicted_kernels({"dgesv", "n=60", "nrhs=2"}), ElementsAre("dgetrf", "dgetrs"));
}

/// A recording would lack the parts that it skips: iterations over data that aren't there, and loops without calls.
TEST(Predict, OtherRoutinesAsAWhole) {
  EXPECT_THAT(predicted_kernels({"dgeev", "n=30", "jobvr=V"}), ElementsAre("dgeev"));
  EXPECT_THAT(predicted_kernels({"dgemm", "n=60"}), ElementsAre("dgemm"));
  EXPECT_THAT(predicted_kernels({"dlaswp", "n=30", "k1=1", "k2=30"}), ElementsAre("dlaswp"));  // crashes on pivots of zero
}

TEST(Predict, SaysWhoseBlockSizeItIs) {
  const Ended ended = flopcast({"predict", "dgesv", "n=60", "nb=16"});
  EXPECT_EQ(ended.code, 3);
  EXPECT_THAT(ended.err, HasSubstr("dgetrf in it does"));
}

/// Tables for people say what a prediction is; CSV holds columns only.
TEST(Predict, TablesDefinePredictions) {
  const std::vector<std::vector<std::string>> commands = {
      {"predict", "dpotrf", "n=60", "nb=16"},
      {"tune", "dpotrf", "--n", "60", "--nb", "16,32"},
      {"tune", "cholesky", "--n", "60", "--nb", "16", "--variant", "all"},
      {"rank", "cholesky", "--n", "60", "--nb", "16"},
      {"contract", "abc=ai,ibc", "a=8", "b=8", "c=8", "i=8"},
      {"contract", "abc=ai,ibc", "a=8", "b=8", "c=8", "i=8", "--run"},
  };
  for (std::vector<std::string> command : commands) {
    SCOPED_TRACE(::testing::PrintToString(command));
    command.insert(command.end(), {"--quiet"});
    if (command.front() != "contract") {
      command.insert(command.end(), {"--time-budget", "0.3s"});
    }
    const Ended text = flopcast(command);
    EXPECT_EQ(text.code, 0) << text.err;
    EXPECT_THAT(text.out, HasSubstr("ed: wall time that an unmodified program would measure on this machine\nin its usual state"));
  }
  EXPECT_THAT(flopcast({"predict", "dpotrf", "n=60", "nb=16", "--time-budget", "0.3s", "--quiet", "--csv"}).out,
              AllOf(HasSubstr("seconds"), Not(HasSubstr("unmodified"))));
}

}  // namespace
}  // namespace flopcast::testing
