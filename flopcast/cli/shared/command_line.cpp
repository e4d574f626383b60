#include "flopcast/cli/shared/command_line.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstdio>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "flopcast/cli/manual/documents.hpp"
#include "flopcast/cli/manual/help_text.hpp"
#include "flopcast/report/terminal.hpp"
#include "flopcast/support/error.hpp"
#include "flopcast/support/file.hpp"
#include "flopcast/support/units.hpp"

namespace flopcast::cli {
namespace {

/// Returns the words of the command line up to `--`.
std::vector<std::string> words(int argc, char** argv) {
  const std::vector<std::string> all(argv + 1, argv + argc);
  return {all.begin(), std::find(all.begin(), all.end(), "--")};
}

std::vector<std::string> names_of_options(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options({})) {
    for (const std::string& name : option->get_lnames()) {
      names.push_back("--" + name);
    }
  }
  return names;
}

std::vector<std::string> command_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands({})) {
    names.push_back(command->get_name());
  }
  return names;
}

/// Returns "; did you mean 'x'?" for the nearest of `candidates`, or nothing.
std::string suggestion(const std::string& given, const std::vector<std::string>& candidates) {
  const std::vector<std::string> nearest = nearest_names(given, candidates);
  return nearest.empty() ? "" : fmt::format("; did you mean '{}'?", fmt::join(nearest, "' or '"));
}

template <typename Kind>
bool is(const CLI::ParseError& error) {
  return dynamic_cast<const Kind*>(&error) != nullptr;
}

/// Returns ", expected a whole number from 1 to 16", ", expected FILE", or nothing if any text may be a value of the option `name`.
std::string expectation(const CommandDescription& command, const std::string& name) {
  const auto& options = command.options;
  const auto found = std::find_if(options.begin(), options.end(), [&](const auto& option) { return option_name(option) == name; });
  if (found == options.end() || (found->expected.empty() && found->placeholder == "TEXT")) {
    return "";
  }
  return ", expected " + (found->expected.empty() ? found->placeholder : found->expected);
}

/// Returns what is wrong with a command line of `command` whose names are known. CLI11's message begins with the option's name in most
/// cases; a check of values has written the rest.
std::string refusal(const CommandDescription& command, const CLI::ParseError& error) {
  const std::string text = error.what();
  const std::string first = text.substr(0, text.find_first_of(": ")), last = text.substr(text.rfind(' ') + 1);
  if (is<CLI::RequiredError>(error) && text.starts_with("A subcommand")) {
    std::vector<std::string> names;
    std::transform(command.commands.begin(), command.commands.end(), std::back_inserter(names),
                   [](const CommandDescription& below) { return below.words.back(); });
    return fmt::format("no command given, expected one of {}", fmt::join(names, ", "));
  }
  if (is<CLI::RequiredError>(error)) {
    const std::string expected = expectation(command, first);
    return fmt::format("no {} given{}; usage: {}", first, first.starts_with('-') ? expected : "", usage_of(command));
  }
  if (is<CLI::ArgumentMismatch>(error) && last == "missing") {
    return fmt::format("{} has no value{}", first, expectation(command, first));
  }
  if (is<CLI::ExcludesError>(error)) {
    return fmt::format("{} and {} exclude one another", first, last);
  }
  if (is<CLI::ExtrasError>(error)) {
    return last.size() > 1 && last.starts_with('-') ? fmt::format("unknown option '{}'", last)
                                                    : fmt::format("unexpected argument '{}'; usage: {}", last, usage_of(command));
  }
  constexpr std::string_view no_conversion = "Could not convert: ";  // "NAME = VALUE" follows
  if (is<CLI::ConversionError>(error) && text.starts_with(no_conversion)) {
    const std::size_t name_end = text.find(" = ");
    const std::string name = text.substr(no_conversion.size(), name_end - no_conversion.size());
    return fmt::format("{}: '{}' given{}", name, text.substr(name_end + 3), expectation(command, name));
  }
  return text;
}

/// Returns the subcommand that was reached.
CLI::App& reached(CLI::App& app) {
  const std::vector<CLI::App*> parsed = app.get_subcommands();
  return parsed.empty() ? app : reached(*parsed.front());
}

/// Returns the unknown name among the words of a command line that was refused, with the names that were probably meant; or nothing.
std::optional<std::string> unknown_name(const CLI::App& top, const std::vector<std::string>& given) {
  const CLI::App* app = &top;
  int values = 0, more = 0;  // that the option before takes at least, and may take
  for (const std::string& word : given) {
    if (values > 0) {
      --values;
      --more;
      continue;
    }
    if (word.rfind("--", 0) == 0) {
      const std::string name = word.substr(0, word.find('='));
      const std::vector<std::string> known = names_of_options(*app);
      if (std::find(known.begin(), known.end(), name) == known.end()) {
        return fmt::format("unknown option '{}'{}", name, suggestion(name, known));
      }
      const CLI::Option* option = app->get_option_no_throw(name);
      const bool takes_words = option != nullptr && name.size() == word.size();
      values = takes_words ? option->get_items_expected_min() : 0;
      more = takes_words ? option->get_items_expected_max() : 0;
      continue;
    }
    const std::vector<std::string> commands = command_names(*app);
    if (word.empty() || word.front() == '-' || commands.empty()) {
      continue;
    }
    if (std::find(commands.begin(), commands.end(), word) == commands.end()) {
      if (more > 0) {
        --more;
        continue;
      }
      return unknown_command(word, commands);
    }
    app = app->get_subcommand(word);
  }
  return std::nullopt;
}

/// Returns a message about a command line that CLI11 refused.
std::string describe(CLI::App& top, NotesOfOptions& notes, const std::vector<std::string>& given, const CLI::ParseError& error) {
  const bool names_are_known = is<CLI::ValidationError>(error) || is<CLI::ConversionError>(error);
  const std::optional<std::string> unknown = names_are_known ? std::nullopt : unknown_name(top, given);
  return unknown ? *unknown : refusal(OptionSet(&reached(top), notes).description(), error);
}

/// Writes a message to standard error, folded at the terminal's width.
void complain(const std::string& text) {
  const std::optional<std::size_t> width = report::terminal_width(STDERR_FILENO);
  std::fputs((width ? report::wrapped(text, *width) : text).c_str(), stderr);
}

}  // namespace

std::string unknown_command(const std::string& given, const std::vector<std::string>& commands) {
  return fmt::format("unknown command '{}'{}", given, suggestion(given, commands));
}

CommandLine::CommandLine(const std::string& program, const std::string& description)
    : app_(std::make_unique<CLI::App>(description, program)) {
  app_->set_help_flag("-h,--help", "Print what is used most, and exit");
  app_->set_help_all_flag("--help-all", "Print everything, and exit");
}

CommandLine::~CommandLine() = default;

OptionSet CommandLine::options() { return {app_.get(), notes_}; }

void CommandLine::version(const std::string& text) { app_->set_version_flag("--version", text, "Print the version and exit"); }

std::optional<int> CommandLine::parse(int argc, char** argv) {
  try {
    app_->parse(argc, argv);
    return std::nullopt;
  } catch (const CLI::CallForVersion& version) {
    write_file("-", std::string(version.what()) + '\n');
    return 0;
  } catch (const CLI::Success& asked) {
    const bool is_full = dynamic_cast<const CLI::CallForAllHelp*>(&asked) != nullptr;
    write_file("-", help_for_terminal(OptionSet(&reached(*app_), notes_).description(), is_full ? HelpLength::full : HelpLength::brief));
    return 0;
  } catch (const CLI::ParseError& error) {
    const std::string command = joined_words(OptionSet(&reached(*app_), notes_).description(), " ");
    complain(fmt::format("{}: {}\nSee '{} --help'.\n", app_->get_name(), describe(*app_, notes_, words(argc, argv), error), command));
    return static_cast<int>(ExitCode::usage);
  }
}

int CommandLine::run(int argc, char** argv, const std::function<void()>& work) {
  try {
    if (const std::optional<int> ended = parse(argc, argv)) {
      return *ended;
    }
    work();
    return 0;
  } catch (const Error& error) {
    complain(fmt::format("{}: {}\n", app_->get_name(), error.what()));
    return static_cast<int>(error.code());
  }
}

}  // namespace flopcast::cli
