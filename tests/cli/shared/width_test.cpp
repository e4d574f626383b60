#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "tests/cli/run_program.hpp"

namespace flopcast::testing {
namespace {

/// Returns the number of characters of UTF-8 `line`.
std::size_t characters(const std::string& line) {
  return static_cast<std::size_t>(std::count_if(line.begin(), line.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

/// Returns the lines that are longer than `width` and have several words. A path may be longer.
std::vector<std::string> long_lines(const std::string& text, std::size_t width) {
  std::vector<std::string> found;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const bool is_word = line.find(' ', std::min(line.find_first_not_of(' '), line.size())) == std::string::npos;
    if (characters(line) > width && !is_word) {
      found.push_back(line);
    }
  }
  return found;
}

class Width : public ::testing::TestWithParam<std::string> {};

TEST_P(Width, NoLineIsWiderThanATerminalOfEightyColumns) {
  const Ended ended = shell("export COLUMNS=80; " + GetParam());
  ASSERT_EQ(ended.code, 0) << ended.err;
  EXPECT_THAT(long_lines(ended.out, 80), ::testing::IsEmpty());
  EXPECT_THAT(long_lines(ended.err, 80), ::testing::IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(
    Commands, Width,
    ::testing::Values("flopcast machine", "flopcast tune dgeqrf --n 100,200 --nb 32,64 --time-budget 1s",
                      "flopcast rank cholesky --n 100,200 --nb 32,64 --time-budget 1s --validate",
                      "flopcast predict dgeqrf n=100 nb=32 --time-budget 1s",
                      "flopcast predict dgeqrf n=100 nb=32 --explain --time-budget 1s",
                      "flopcast contract abc=ai,ibc a=b=c=16 i=8 --validate", "flopcast contract abc=ai,ibc a=b=c=32 i=8 --plan",
                      "flopcast contract abc=ai,ibc a=b=c=32 i=8 --run --time-budget 1s", "flopcast contract 'ab,bc,cd->ad' a=b=c=d=20",
                      "flopcast roofline --dry-run", "flopcast sample dgemm m=64 n=64 k=64",
                      "flopcast sample dgemm m=64 n=64 k=64 --dry-run", "flopcast trace dgeqrf n=200 nb=32 --summary",
                      "flopcast model build dscal n=8:512 --error 50% --dry-run",
                      "flopcast model build dscal n=8:512 --error 50% && flopcast model list && flopcast model show dscal",
                      "flopcast model check --time-budget 1s", "flopcast wisdom list", "flopcast schema --list", "flopcast columns"));

TEST(Width, DocumentsAreNeverFolded) {
  const std::string text = "exit 0; these words are the longest of the words that are shown in quotation marks";
  const Ended ended = shell("COLUMNS=40 flopcast record --json --output none.trace -- /bin/sh -c '" + text + "'");
  ASSERT_EQ(ended.code, 0) << ended.err;
  const std::string document = ended.err.substr(ended.err.find('{'), ended.err.rfind('}') + 1 - ended.err.find('{'));
  EXPECT_EQ(nlohmann::json::parse(document).at("command").at(2), text);
}

}  // namespace
}  // namespace flopcast::testing
