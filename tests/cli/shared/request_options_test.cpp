// Options of the command line and members of requests in JSON, which are made of one table per request.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <map>
#include <regex>
#include <sstream>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "tests/cli/run_program.hpp"

namespace flopcast::testing {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

/// A command of the command line, whose options are made of a request.
struct Command {
  std::string command;
  std::vector<std::string> words;
  std::map<std::string, std::string> options;  ///< names of options that differ from their members'; empty: there is none
};

const std::vector<Command>& commands() {
  static const std::map<std::string, std::string> words_of_problems = {{"routine", ""}, {"n", ""},     {"sizes", ""}, {"arguments", ""},
                                                                       {"nb", ""},      {"nbmin", ""}, {"nx", ""}};
  static const std::vector<Command> all = {
      {"machine", {"machine"}, {}},
      {"tune", {"tune"}, {{"routine", ""}, {"sizes", ""}, {"flags", ""}, {"validation_budget", ""}, {"tune_crossover", "fixed-crossover"}}},
      {"tune_program",
       {"tune"},
       {{"command", ""},
        {"space", ""},
        {"parameters", "parameter"},
        {"conditions", "condition"},
        {"templates", "template"},
        {"check", "no-check"},
        {"time_budget", ""},
        {"threads", ""},  // --threads of tune takes several numbers
        {"race", ""}}},
      {"rank",
       {"rank"},
       {{"family", ""},
        {"sizes", ""},
        {"flags", ""},
        {"validation_budget", ""},
        {"variants", ""},
        {"vectors", "no-vectors"},
        {"library", ""},
        {"tune_crossover", "fixed-crossover"}}},
      {"predict",
       {"predict"},
       [] {
         auto options = words_of_problems;
         options.insert({{"capacity_bytes", "capacity"}, {"with_calls", "explain"}});
         return options;
       }()},
      {"record", {"record"}, {{"command", ""}, {"output", ""}}},
      {"profile", {"profile"}, {{"recording", ""}, {"with_peak", "no-peak"}}},
      {"export_timeline", {"profile"}, {{"recording", ""}, {"anonymous", ""}}},
      {"extract", {"extract"}, {{"recording", ""}}},
      {"scale", {"scale"}, {{"recordings", ""}}},
      {"verify", {"verify"}, {{"routines", "routine"}}},
      {"run", {"run"}, {{"command", ""}, {"explain", "report"}}},
      {"race", {"race"}, {{"commands", ""}, {"names", "name"}}},
      {"compare", {"compare"}, {{"before", ""}, {"after", ""}, {"baseline", ""}}},
      {"environment", {"env"}, {}},
      {"export_ilaenv", {"export", "ilaenv"}, {}},
      {"wisdom_list", {"wisdom", "list"}, {{"file", ""}}},
      {"wisdom_check", {"wisdom", "check"}, {{"file", ""}}},
      {"wisdom_export", {"wisdom", "export"}, {}},
      {"wisdom_prune", {"wisdom", "prune"}, {}},
      {"wisdom_forget", {"wisdom", "forget"}, {{"ids", ""}}},
      {"model",
       {"model", "build"},
       {{"routine", ""},
        {"sizes", ""},
        {"arguments", ""},
        {"error_bound", "error"},
        {"reuse", "no-reuse"},
        {"thresholds", "no-thresholds"}}},
      {"model_check", {"model", "check"}, {{"routines", ""}}},
      {"sample", {"sample"}, {{"calls", "calls"}, {"caches", "cache"}, {"normalise", "no-normalise"}, {"keep", ""}}},
  };
  return all;
}

json request_schema() { return json::parse(flopcast({"schema", "request"}).out); }

/// Returns the members of a command's request.
json members_of(const json& schema, const std::string& command) {
  const std::string reference = schema["properties"][command]["$ref"];
  return schema["$defs"][reference.substr(reference.rfind('/') + 1)]["properties"];
}

/// Returns the lines of an option's help as one line, or nothing if there is no such option.
std::string help_of(const std::string& help, const std::string& option) {
  const std::size_t begin = help.find("--" + option + " ");
  if (begin == std::string::npos) {
    return "";
  }
  const std::size_t end = std::min({help.find("\n  -", begin), help.find("\n\n", begin), help.size()});
  std::string text;
  for (const char c : help.substr(begin, end - begin)) {
    if (c != '\n' && !(c == ' ' && text.ends_with(' '))) {
      text += c;
    } else if (!text.ends_with(' ')) {
      text += ' ';
    }
  }
  return text;
}

/// Returns "1" for 1.0.
std::string number(const json& value) {
  const auto whole = static_cast<std::int64_t>(value.get<double>());
  return static_cast<double>(whole) == value.get<double>() ? std::to_string(whole) : value.dump();
}

/// Returns a number's default as help shows it: 5, 0.02, 50s or 10min.
std::string default_of(const json& member) {
  const json& value = member.at("default");
  if (member.value("anyOf", json::array({member})).front().value("unit", "") != "s") {
    return number(value);
  }
  const auto seconds = static_cast<std::int64_t>(value.get<double>());
  return seconds % 60 == 0 ? std::to_string(seconds / 60) + "min" : std::to_string(seconds) + "s";
}

TEST(RequestOptions, EveryMemberHasAnOptionWithTheSameDefaultRangeAndChoices) {
  const json schema = request_schema();
  for (const Command& command : commands()) {
    std::vector<std::string> words = command.words;
    words.emplace_back("--help-all");
    const std::string help = flopcast(words).out;
    const json members = members_of(schema, command.command);
    for (const auto& [name, member] : members.items()) {
      const auto other = command.options.find(name);
      std::string option = other == command.options.end() ? name : other->second;
      std::replace(option.begin(), option.end(), '_', '-');
      if (option.empty()) {
        continue;
      }
      const std::string text = help_of(help, option);
      ASSERT_NE(text, "") << command.command << " has no option --" << option;
      const json value = member.value("default", json());
      if (value.is_number() && !value.is_boolean() && value != 0) {
        EXPECT_THAT(text, HasSubstr("Default: " + default_of(member) + '.')) << command.command;
      } else if (value.is_string() && !value.get<std::string>().empty()) {
        EXPECT_THAT(text, HasSubstr("Default: " + value.get<std::string>())) << command.command;
      }
      if (member.contains("minimum") && member.contains("maximum") && member["maximum"] <= 10000 && option == name) {
        EXPECT_THAT(text, HasSubstr("Values: " + number(member["minimum"]) + " to " + number(member["maximum"]))) << command.command;
      }
      for (const json& choice : member.value("enum", json::array())) {
        EXPECT_THAT(text, HasSubstr(choice.get<std::string>())) << command.command;
      }
    }
  }
}

/// The help of an option: the word that stands for its value, and its meaning, up to what the command uses it for.
struct Meaning {
  std::string value, text;
};

/// Returns one word for all forms of a value: several numbers for one number, and "choice" for a choice from a list.
std::string kind_of(const std::string& value) {
  return value == "LIST" || value == "N|auto" ? "N" : value.find('|') != std::string::npos ? "choice" : value;
}

/// Returns the meaning of each option in a help text whose lines aren't folded.
std::map<std::string, Meaning> meanings_in(const std::string& help) {
  static const std::regex option("  (?:-[a-z], )?--([a-z-]+)(?:, --[a-z-]+)*(?: (\\S+))?(?: {2,}(.+))?");
  std::map<std::string, Meaning> meanings;
  std::istringstream lines(help);
  for (std::string line; std::getline(lines, line);) {
    std::smatch found;
    if (!std::regex_match(line, found, option)) {
      continue;
    }
    const std::string name = found[1], value = found[2];
    std::string text = found[3];
    if (text.empty()) {  // it stands on the line below
      std::getline(lines, text);
      text.erase(0, text.find_first_not_of(' '));
    }
    text = text.substr(0, text.find_first_of(":;.,("));
    meanings[name] = {kind_of(value), text};
  }
  return meanings;
}

/// Returns the words of all commands, by the help texts that are kept.
std::vector<std::string> all_commands() {
  std::vector<std::string> commands;
  for (const auto& entry : std::filesystem::directory_iterator(FLOPCAST_GOLDEN)) {
    std::string name = entry.path().stem().string().substr(std::string("help").size());
    std::replace(name.begin(), name.end(), '_', ' ');
    commands.push_back(name);
  }
  return commands;
}

TEST(Options, OneNameHasOneMeaningAndOneTypeInAllCommands) {
  const std::map<std::string, std::string> exceptions = {
      {"figure", "each command says what it draws"},
      {"page", "each command says what it writes"},
      {"n", "the name of a size in the routines of BLAS and LAPACK"},
  };
  std::map<std::string, std::pair<std::string, Meaning>> first;  // with the command that has it
  for (const std::string& command : all_commands()) {
    for (const auto& [name, meaning] : meanings_in(shell("COLUMNS=10000 flopcast" + command + " --help-all").out)) {
      EXPECT_NE(meaning.value, "TEXT") << command << " --" << name;
      const auto [known, is_new] = first.try_emplace(name, command, meaning);
      if (!is_new && !exceptions.contains(name)) {
        EXPECT_EQ(meaning.value, known->second.second.value) << "--" << name << " of" << command << " and of" << known->second.first;
        EXPECT_EQ(meaning.text, known->second.second.text) << "--" << name << " of" << command << " and of" << known->second.first;
      }
    }
  }
  EXPECT_GT(first.size(), 100U);
}

TEST(RequestOptions, RefuseWhatQuestionsRefuse) {
  for (const auto& [option, value, code, member] :
       {std::tuple("--repetitions", "0", 2, R"("repetitions": 0)"), std::tuple("--repetitions", "1001", 2, R"("repetitions": 1001)"),
        std::tuple("--nb", "0", 3, R"("nb": 0)"), std::tuple("--nb", "8:", 3, R"("nb": "8:")"),
        std::tuple("--n", "1:2000000", 3, R"("n": 2000000)"), std::tuple("--time-budget", "5 years", 2, R"("time_budget": "5 years")")}) {
    const Ended given = flopcast({"tune", "dgeqrf", "n=100", option, value});
    EXPECT_EQ(given.code, code) << option << ' ' << value;
    EXPECT_THAT(given.err, HasSubstr(option));
    const Ended asked = flopcast({"ask", "-"}, std::string(R"({"tune": {"routine": "dgeqrf", )") + member + "}}");
    EXPECT_EQ(asked.code, 3) << member;
  }
}

TEST(RequestOptions, ReadTextsAsQuestionsDo) {
  const Ended ended = flopcast({"profile", "no such file", "--what-if", "blas=blis,threads=2", "--what-if", "nb", "--time-budget", "1min"});
  EXPECT_THAT(ended.err, HasSubstr("no such file"));
  const Ended wrong = flopcast({"profile", "no such file", "--what-if", "blass=blis"});
  EXPECT_EQ(wrong.code, 2);
  EXPECT_THAT(wrong.err, HasSubstr("--what-if: "));
}

}  // namespace
}  // namespace flopcast::testing
