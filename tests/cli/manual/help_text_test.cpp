#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

#include "tests/cli/run_program.hpp"

namespace flopcast::testing {
namespace {

/// Every command whose help is kept, by its words. Run with FLOPCAST_UPDATE_GOLDEN=1 to write the files anew.
const std::vector<std::string> commands = {"",
                                           "machine",
                                           "tune",
                                           "rank",
                                           "contract",
                                           "compare",
                                           "roofline",
                                           "run",
                                           "record",
                                           "profile",
                                           "mpi",
                                           "mpi run",
                                           "mpi show",
                                           "mpi tune",
                                           "mpi advise",
                                           "mpi simulate",
                                           "mpi describe",
                                           "sample",
                                           "model",
                                           "model build",
                                           "model list",
                                           "model show",
                                           "model export",
                                           "model delete",
                                           "model check",
                                           "trace",
                                           "predict",
                                           "env",
                                           "wisdom",
                                           "wisdom list",
                                           "wisdom export",
                                           "wisdom import",
                                           "wisdom merge",
                                           "wisdom forget",
                                           "wisdom check",
                                           "wisdom prune",
                                           "export",
                                           "export ilaenv",
                                           "columns",
                                           "ask",
                                           "schema",
                                           "race",
                                           "doctor",
                                           "extract",
                                           "scale",
                                           "verify"};

std::vector<std::string> words(const std::string& line) {
  std::istringstream stream(line);
  return {std::istream_iterator<std::string>(stream), std::istream_iterator<std::string>()};
}

std::string help(const std::string& command) {
  std::vector<std::string> arguments = words(command);
  arguments.emplace_back("--help");
  const Ended ended = flopcast(arguments);
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_EQ(ended.err, "");
  return ended.out;
}

std::filesystem::path golden_file(std::string command) {
  for (char& c : command) {
    c = c == ' ' ? '_' : c;
  }
  return std::filesystem::path(FLOPCAST_GOLDEN) / ("help" + (command.empty() ? "" : '_' + command) + ".txt");
}

class Help : public ::testing::TestWithParam<std::string> {};

TEST_P(Help, IsAsItWasAgreed) {
  const std::filesystem::path file = golden_file(GetParam());
  const std::string text = help(GetParam());
  if (std::getenv("FLOPCAST_UPDATE_GOLDEN") != nullptr) {
    std::ofstream(file) << text;
    return;
  }
  std::ifstream stream(file);
  const std::string expected{std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
  EXPECT_EQ(text, expected) << "if this is meant: FLOPCAST_UPDATE_GOLDEN=1 ctest -R cli, and commit " << file;
}

/// Returns the help as a terminal of `width` columns has it.
std::string help(const std::string& command, int width) {
  return shell("COLUMNS=" + std::to_string(width) + " flopcast " + command + " --help").out;
}

/// Returns the lines before the examples that are longer than `width`. An example may have a longer text in quotation marks.
std::vector<std::string> long_lines(const std::string& text, std::size_t width) {
  std::vector<std::string> found;
  std::istringstream lines(text.substr(0, text.find("\nExample")));
  for (std::string line; std::getline(lines, line);) {
    if (line.size() > width) {
      found.push_back(line);
    }
  }
  return found;
}

TEST_P(Help, HasAnExampleAndLinesOfEightyColumnsWhereItGoesToNoTerminal) {
  const std::string text = help(GetParam());
  EXPECT_THAT(text, ::testing::ContainsRegex("Examples?:\n  [^\n]*flopcast ")) << "an example in the footer";
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    EXPECT_LE(line.size(), 80U) << line;
  }
}

TEST_P(Help, FoldsAtTheWidthOfTheTerminalAndKeepsItsWords) {
  const auto without_breaks = [](const std::string& text) {
    std::vector<std::string> all = words(text);
    std::erase(all, "\\");  // which ends the lines of a long example
    return all;
  };
  const std::string narrow = help(GetParam(), 64), wide = help(GetParam(), 160);
  EXPECT_THAT(long_lines(narrow, 64), ::testing::IsEmpty());
  EXPECT_THAT(long_lines(wide, 160), ::testing::IsEmpty());
  EXPECT_EQ(without_breaks(narrow), without_breaks(wide));
  EXPECT_EQ(without_breaks(narrow), without_breaks(help(GetParam())));
}

INSTANTIATE_TEST_SUITE_P(Commands, Help, ::testing::ValuesIn(commands));

TEST(HelpPage, TextsOfOptionsStandBelowEachOther) {
  EXPECT_THAT(help("record", 60), ::testing::HasSubstr("  --threads N    Threads of BLAS. Values: 1 to 1024.\n"
                                                       "  --dry-run      Skip calls that compute much; for programs\n"
                                                       "                 whose flow doesn't depend on their results.\n"));
}

TEST(HelpPage, ExamplesThatAreTooLongGoOnBehindABackslash) {
  EXPECT_THAT(help("tune", 60), ::testing::HasSubstr("  flopcast tune dgeqrf --n 200:800:200 --nb 16,32,64 \\\n"
                                                     "      --time-budget 5s\n"));
}

}  // namespace
}  // namespace flopcast::testing
