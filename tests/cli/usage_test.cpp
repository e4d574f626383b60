#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ostream>
#include <string>
#include <vector>

#include "tests/cli/run_program.hpp"

namespace flopcast::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

/// A command line that is wrong: what it returns and says on standard error. Standard output stays empty.
struct Mistake {
  std::vector<std::string> arguments;
  int code;
  std::string says;

  friend std::ostream& operator<<(std::ostream& stream, const Mistake& mistake) {
    return stream << "flopcast " << ::testing::PrintToString(mistake.arguments);
  }
};

class Mistakes : public ::testing::TestWithParam<Mistake> {};

TEST_P(Mistakes, AreNamed) {
  const Mistake& mistake = GetParam();
  const Ended ended = flopcast(mistake.arguments);
  EXPECT_EQ(ended.code, mistake.code) << ended.err;
  EXPECT_EQ(ended.out, "");
  EXPECT_THAT(ended.err, StartsWith("flopcast: "));
  EXPECT_THAT(ended.err, HasSubstr(mistake.says));
}

INSTANTIATE_TEST_SUITE_P(Usage, Mistakes,
                         ::testing::Values(Mistake{{}, 2, "A subcommand is required\nSee 'flopcast --help'."},
                                           Mistake{{"mashine"}, 2, "unknown command 'mashine'; did you mean 'machine'?"},
                                           Mistake{{"xyzzy"}, 2, "unknown command 'xyzzy'\n"},
                                           Mistake{{"--versoin"}, 2, "unknown option '--versoin'; did you mean '--version'?"},
                                           Mistake{{"machine", "--jsn"}, 2, "unknown option '--jsn'; did you mean '--json'?"},
                                           Mistake{{"machine", "--color", "blue"}, 2, "--color"},
                                           Mistake{{"machine", "--json", "--csv"}, 2, "--csv"},
                                           Mistake{{"machine", "--output"}, 2, "--output"}));

TEST(Usage, VersionGoesToStandardOutput) {
  const Ended ended = flopcast({"--version"});
  EXPECT_EQ(ended.code, 0);
  EXPECT_THAT(ended.out, ::testing::MatchesRegex("flopcast [0-9]+\\.[0-9]+\\.[0-9]+\n"));
  EXPECT_EQ(ended.err, "");
}

TEST(Usage, HelpOnAFullDiskIsAnErrorOfTheEnvironment) {
  const Ended ended = shell("flopcast --help >/dev/full");
  EXPECT_EQ(ended.code, 4);
  EXPECT_EQ(ended.err, "flopcast: cannot write to standard output: No space left on device\n");
}

TEST(Usage, AReaderThatHasGoneIsNoError) {
  const Ended ended = shell("(sleep 0.2; flopcast --help; echo $? >&2) | true");
  EXPECT_EQ(ended.err, "141\n");
}

}  // namespace
}  // namespace flopcast::testing
