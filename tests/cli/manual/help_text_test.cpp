#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>
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
                                           "help",
                                           "export",
                                           "export ilaenv",
                                           "columns",
                                           "ask",
                                           "schema",
                                           "race",
                                           "doctor",
                                           "extract",
                                           "scale",
                                           "verify",
                                           "report"};

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

std::size_t line_count(const std::string& text) { return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')); }

/// Returns the options that a text lists, one at the beginning of each line.
std::set<std::string> listed_options(const std::string& text) {
  static const std::regex option("\n  (?:-[a-z], )?(--[a-z-]+)");
  std::set<std::string> all;
  for (std::sregex_iterator found(text.begin(), text.end(), option), end; found != end; ++found) {
    all.insert((*found)[1]);
  }
  return all;
}

/// Returns the options that the examples of `command` give it.
std::set<std::string> options_of_examples(const std::string& text, const std::string& command) {
  const std::string name = "flopcast" + (command.empty() ? "" : ' ' + command) + ' ';
  std::set<std::string> all;
  std::istringstream lines(text.substr(text.find("\nExample")));
  for (std::string line; std::getline(lines, line);) {
    for (std::size_t begin = line.find(name); begin != std::string::npos; begin = line.find(name, begin + 1)) {
      for (const std::string& word : words(line.substr(begin))) {
        if (word == "--" || word == "&&" || word == "|") {
          break;
        }
        if (word.starts_with("--")) {
          all.insert(word);
        }
      }
    }
  }
  return all;
}

TEST_P(Help, FitsAScreenAndHasTheOptionsOfItsExamples) {
  constexpr std::size_t screen = 48;
  const std::string text = help(GetParam(), 80);
  EXPECT_LE(line_count(text), screen) << text;
  if (text.find("[OPTIONS] COMMAND\n") != std::string::npos) {
    return;  // the examples are those of its commands
  }
  const std::set<std::string> options = listed_options(text), common = {"--json", "--csv", "--output", "--quiet", "--color", "--help-all"};
  for (const std::string& option : options_of_examples(help(GetParam(), 1000), GetParam())) {
    EXPECT_TRUE(options.contains(option) || common.contains(option)) << option;
  }
}

TEST_P(Help, SaysHowManyOptionsHelpAllHasBesides) {
  const std::string brief = help(GetParam(), 1000);
  const std::string full = shell("COLUMNS=1000 flopcast " + GetParam() + " --help-all").out;
  const std::set<std::string> all = listed_options(full), some = listed_options(brief);
  EXPECT_TRUE(std::includes(all.begin(), all.end(), some.begin(), some.end()));
  constexpr std::size_t of_every_command = 7;                 // --help, --help-all, --json, --csv, --output, --quiet, --color
  const std::size_t of_program = GetParam().empty() ? 1 : 0;  // --version
  const std::size_t rare = all.size() - some.size() - of_every_command - of_program;
  const std::string name = "flopcast" + (GetParam().empty() ? "" : ' ' + GetParam());
  const std::string end = ": " + name + " --help-all\n";
  EXPECT_EQ(brief.find(std::to_string(rare) + " more option") != std::string::npos, rare > 0) << rare;
  EXPECT_TRUE(rare == 0 || brief.ends_with(end)) << brief;
}

TEST(HelpCommand, ShowsTheHelpOfTheCommandThatItsWordsName) {
  EXPECT_EQ(flopcast({"help"}).out, help(""));
  EXPECT_EQ(flopcast({"help", "tune"}).out, help("tune"));
  EXPECT_EQ(flopcast({"help", "mpi", "run"}).out, help("mpi run"));
  const Ended unknown = flopcast({"help", "tun"});
  EXPECT_EQ(unknown.code, 2);
  EXPECT_THAT(unknown.err, ::testing::HasSubstr("unknown command 'tun'; did you mean 'run' or 'tune'? 'flopcast help' lists the commands"));
  EXPECT_THAT(flopcast({"help", "mpi", "rum"}).err, ::testing::HasSubstr("did you mean 'run'?"));
  EXPECT_EQ(flopcast({"help", "tune", "dgeqrf"}).code, 2) << "tune has no commands";
}

INSTANTIATE_TEST_SUITE_P(Commands, Help, ::testing::ValuesIn(commands));

TEST(HelpPage, TextsOfOptionsStandBelowEachOther) {
  EXPECT_THAT(help("record", 60), ::testing::HasSubstr("  --skip-kernels    Skip calls that compute much.\n"
                                                       "  --anonymous       Leave private names out: folders,\n"
                                                       "                    arguments and texts of the environment.\n"));
  EXPECT_THAT(help("tune", 200), ::testing::HasSubstr("flags (uplo=U; both of two values where none is given)")) << "no end in parentheses";
}

TEST(HelpPage, ExamplesThatAreTooLongGoOnBehindABackslash) {
  EXPECT_THAT(help("tune", 60), ::testing::HasSubstr("  flopcast tune dgeqrf --n 200:800:200 --nb 16,32,64 \\\n"
                                                     "      --time-budget 5s\n"));
}

}  // namespace
}  // namespace flopcast::testing
