#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "flopcast/cli/shared/command_description.hpp"

namespace CLI {  // NOLINT(readability-identifier-naming): CLI11's
class App;
class Option;
}  // namespace CLI

/// Commands and their options. CLI11, which parses them, is included by two sources of this folder only: its headers take 13 s to compile.
namespace flopcast::cli {

/// A value for an option that the command line doesn't give.
struct Preset {
  std::vector<std::string> values;
  std::string origin;  ///< begins messages: "config.toml:3: threads" or "FLOPCAST_THREADS"
};

/// Properties of an option that CLI11 doesn't keep.
struct OptionNotes {
  std::string placeholder, setting, range;
  std::string type;  ///< "a whole number"; empty: any text
  std::vector<std::string> choices;
  ValueKind kind = ValueKind::text;
  bool is_setting = true, is_rare = false;
  std::optional<Preset> preset;
};
using NotesOfOptions = std::map<const CLI::Option*, OptionNotes>;

/// A declared option. All functions but the last two return the option itself, so that calls can follow each other.
class Option {
 public:
  Option(CLI::Option* option, OptionNotes& notes) : option_(option), notes_(&notes) {}

  Option& placeholder(const std::string& name);  ///< stands for the value in the help text: "FILE"
  Option& show_default();                        ///< the help text shows the present value of the bound variable
  Option& show_default(const std::string& text);
  Option& required();
  Option& excludes(const Option& other);
  Option& group(const std::string& heading);
  Option& hidden();  ///< the help text doesn't show the option
  Option& rare();    ///< only --help-all shows the option
  Option& describe(const std::string& help);
  Option& choices(std::vector<std::string> values);
  Option& range(std::int64_t min, std::int64_t max);
  /// The text must be a number from `min`, or above it, to `max`. The help text shows the range if `shows_range`.
  Option& number(bool is_whole, double min, double max, bool above_min, bool shows_range);
  /// `fault` returns what is wrong with a value, or nothing.
  Option& check(std::function<std::string(const std::string& value)> fault);
  Option& each(std::function<void(const std::string& value)> use);
  Option& comma_separated();                ///< a value is a list: "a,b"
  Option& repeatable();                     ///< may be given several times, one value each
  Option& one_value();                      ///< a list's option takes one value each time
  Option& setting(const std::string& key);  ///< the general setting `key`, or its variable, gives a value where the command line doesn't
  Option& no_setting();                     ///< the configuration file can't give a value
  Option& completes(ValueKind kind);        ///< kind of the values; a placeholder FILE, FOLDER or -- COMMAND says so by itself
  void preset(Preset preset);               ///< used if the command line has neither this option nor one of the same setting
  [[nodiscard]] OptionDescription description() const;

 private:
  Option& within(const std::function<std::string(std::string&)>& range, const std::string& text);

  CLI::Option* option_;
  OptionNotes* notes_;
};

/// The options and subcommands of a command. Copies stand for the same command; bound variables must outlive the parsing.
class OptionSet {
 public:
  OptionSet(CLI::App* app, NotesOfOptions& notes) : app_(app), notes_(&notes) {}

  /// Adds an option, or an argument without dashes ("routine"), whose value goes to `to`.
  Option option(const std::string& names, std::string& to, const std::string& help = "");
  Option option(const std::string& names, std::vector<std::string>& to, const std::string& help = "");
  Option option(const std::string& names, int& to, const std::string& help = "");
  Option option(const std::string& names, long& to, const std::string& help = "");
  Option option(const std::string& names, long long& to, const std::string& help = "");
  Option option(const std::string& names, unsigned long& to, const std::string& help = "");
  Option option(const std::string& names, double& to, const std::string& help = "");
  /// Adds an option whose value `parse` takes as text. `parse` throws an Error for a wrong one.
  Option parsed(const std::string& names, const std::function<void(const std::string& value)>& parse, const std::string& help = "");
  /// Adds an option of several values, which `parse` takes together.
  Option parsed_list(const std::string& names, const std::function<void(const std::vector<std::string>& values)>& parse,
                     const std::string& help = "");
  Option flag(const std::string& names, bool& to, const std::string& help = "");
  Option flag(const std::string& names, std::function<void()> use, const std::string& help = "");

  OptionSet add_command(const std::string& name, const std::string& help);
  void require_command();                                        ///< a subcommand must follow
  void group(const std::string& heading);                        ///< the list of commands has this one under the heading
  void footer(const std::string& text);                          ///< ends the help text (help_text.hpp)
  void action(std::function<void()> run);                        ///< runs once the command line is parsed and presets are used
  [[nodiscard]] bool given(const std::string& name) const;       ///< after parsing: whether the command line has option `name`
  [[nodiscard]] std::vector<std::string> given_options() const;  ///< names of all options given, but for those of `common_group`
  [[nodiscard]] Option find(const std::string& name) const;
  [[nodiscard]] std::vector<OptionSet> commands() const;  ///< its subcommands
  [[nodiscard]] std::vector<Option> options() const;      ///< all, hidden ones and arguments, too
  [[nodiscard]] std::string name() const;
  [[nodiscard]] CommandDescription description() const;

  /// If this variable is set, the command line is parsed and nothing runs: the check of the documents' commands uses that.
  static constexpr const char* parse_only_variable = "FLOPCAST_PARSE_ONLY";
  /// Heading of the options that every command has.
  static constexpr const char* common_group = "Common options";

 private:
  [[nodiscard]] Option noted(CLI::Option* option) const { return {option, (*notes_)[option]}; }
  [[nodiscard]] Option noted(CLI::Option* option, const char* type) const;  ///< a new option whose values are of `type`

  CLI::App* app_;
  NotesOfOptions* notes_;
};

}  // namespace flopcast::cli
