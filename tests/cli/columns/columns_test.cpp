#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>
#include <string>

#include "tests/cli/run_program.hpp"

namespace flopcast::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

/// Returns the number of bytes of the longest line.
std::size_t longest_line(const std::string& text) {
  std::size_t longest = 0;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    longest = std::max(longest, line.size());
  }
  return longest;
}

TEST(Columns, OfOneCommandAreDefined) {
  const Ended ended = flopcast({"columns", "tune"});
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_THAT(ended.out, StartsWith("tune:\n\n| column "));
  EXPECT_THAT(ended.out, HasSubstr("| max regret "));
  EXPECT_THAT(ended.out, HasSubstr("tune lapack:"));
  EXPECT_THAT(ended.out, ::testing::Not(HasSubstr("rank:")));
}

TEST(Columns, AreATableForPrograms) {
  const Ended ended = flopcast({"columns", "mpi", "tune", "--csv"});
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_THAT(ended.out, StartsWith("table,column,csv,unit,best,meaning\r\nmpi tune,configuration,"));
  EXPECT_THAT(ended.out, HasSubstr("\r\nmpi tune,predicted,predicted_seconds,s,small,predicted time of the configuration\r\n"));
}

TEST(Columns, OfAnUnknownCommandAreAMistake) {
  const Ended ended = flopcast({"columns", "tunes"});
  EXPECT_EQ(ended.code, 2);
  EXPECT_THAT(ended.err, HasSubstr("there is no table 'tunes'. There are: machine, tune, "));
  EXPECT_EQ(flopcast({"columns", "--json"}).code, 2);
}

TEST(Width, OfTablesIsThatOfColumnsIfItIsExported) {
  EXPECT_GT(longest_line(shell("flopcast columns tune").out), 120U);
  EXPECT_LE(longest_line(shell("COLUMNS=60 flopcast columns tune").out), 60U);
  EXPECT_EQ(shell("COLUMNS=no flopcast columns tune").out, shell("flopcast columns tune").out);
}

TEST(Width, OfFilesIsNotThatOfTheTerminal) {
  const Ended ended = shell("COLUMNS=60 flopcast columns tune --output wide.txt && cat wide.txt; rm -f wide.txt");
  EXPECT_EQ(ended.out, shell("flopcast columns tune").out);
}

TEST(Width, OfMessagesIsThatOfTheTerminal) {
  const Ended ended = shell("COLUMNS=60 flopcast columns tunes");
  EXPECT_LE(longest_line(ended.err), 60U);
  EXPECT_GT(longest_line(shell("flopcast columns tunes").err), 120U);
}

}  // namespace
}  // namespace flopcast::testing
