#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "tests/cli/run_program.hpp"

namespace flopcast::testing {
namespace {

/// Examples that are too slow for a test, or stand for the user's own program.
const std::set<std::string> not_run = {
    "flopcast tune dgeqrf --n 200:3200 --save",
    "flopcast run --blas openblas-serial --lapack reference --report -- ./a.out",
    "flopcast roofline",
};

/// Returns the command that must run before the examples of `command`.
std::string preparation(const std::string& command) {
  return command == "run" ? "flopcast tune dgeqrf --n 200 --nb 32,64 --time-budget 1s --save" : "true";
}

/// The indented lines that follow "Example:" or "Examples:" in a help text.
std::vector<std::string> examples(const std::string& command) {
  std::istringstream help(shell("COLUMNS=1000 flopcast " + command + " --help").out);  // an example on a line
  std::vector<std::string> found;
  bool reached = false;
  for (std::string line; std::getline(help, line);) {
    if (reached && line.compare(0, 2, "  ") == 0) {
      found.push_back(line.substr(2));
    }
    reached = reached || line == "Example:" || line == "Examples:";
  }
  return found;
}

class Examples : public ::testing::TestWithParam<std::string> {};

TEST_P(Examples, WorkWhenPasted) {
  const Ended prepared = shell(preparation(GetParam()));
  ASSERT_EQ(prepared.code, 0) << prepared.err;
  const std::vector<std::string> pasted = examples(GetParam());
  EXPECT_FALSE(pasted.empty());
  for (const std::string& example : pasted) {
    if (not_run.count(example) == 0) {
      const Ended ended = shell(example);
      EXPECT_EQ(ended.code, 0) << example << '\n' << ended.err;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Commands, Examples,
                         ::testing::Values("machine", "tune", "rank", "contract", "roofline", "run", "record", "profile", "sample", "model",
                                           "trace", "predict", "roofline study", "ask", "schema"),
                         [](const auto& suite) {
                           std::string name = suite.param;
                           std::replace(name.begin(), name.end(), ' ', '_');
                           return name;
                         });

}  // namespace
}  // namespace flopcast::testing
