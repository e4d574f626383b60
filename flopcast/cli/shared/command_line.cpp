#include "flopcast/cli/shared/command_line.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstdio>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "flopcast/support/error.hpp"
#include "flopcast/support/file.hpp"
#include "flopcast/support/units.hpp"

namespace flopcast::cli {
namespace {

/// Returns "INT in [1 - 16]" of "INT:INT in [1 - 16]", "{wall,cpu}" of "TEXT:{wall,cpu}"; "MxN[:KERNEL]" as it is.
std::string allowed_values(const std::string& type_name) {
  const std::size_t type_ends = type_name.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ");
  return type_ends == std::string::npos || type_name[type_ends] != ':' ? type_name : type_name.substr(type_ends + 1);
}

bool ends_in_dots(const std::string& text) { return text.size() >= 3 && text.compare(text.size() - 3, 3, "...") == 0; }

/// Returns `text` with line breaks instead of blanks where a line would be longer than `width`.
std::string wrapped(const std::string& text, std::size_t width) {
  std::string result;
  std::size_t column = 0;
  std::istringstream stream(text);
  for (std::string word; stream >> word; column += word.size()) {
    if (!result.empty()) {
      const bool fits = column + 1 + word.size() <= width;
      result += fits ? ' ' : '\n';
      column = fits ? column + 1 : 0;
    }
    result += word;
  }
  return result;
}

/// CLI11's help without what readers stumble over: exclusions, types beside the values that they allow, repeated dots and blank lines,
/// lines that are longer than a terminal is wide.
class HelpFormatter : public CLI::Formatter {
 public:
  explicit HelpFormatter(const NotesOfOptions& notes) : notes_(notes) { column_width(34); }
  std::string make_option_opts(const CLI::Option* option) const override;
  std::string make_option_desc(const CLI::Option* option) const override;
  std::string make_footer(const CLI::App* app) const override;
  std::string make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const override;

 private:
  /// Returns the value of an option that the command line doesn't give, or null if that is the default.
  [[nodiscard]] const Preset* preset_of(const CLI::Option* option) const {
    const auto found = notes_.find(option);
    return found != notes_.end() && found->second.preset ? &*found->second.preset : nullptr;
  }

  const NotesOfOptions& notes_;
};

std::string HelpFormatter::make_option_opts(const CLI::Option* option) const {
  if (option->get_type_size() == 0) {
    return "";
  }
  std::string text = ' ' + allowed_values(option->get_type_name());
  if (const Preset* preset = preset_of(option)) {
    text += fmt::format("={}", fmt::join(preset->values, ","));
  } else if (!option->get_default_str().empty()) {
    text += '=' + option->get_default_str();
  }
  if (option->get_expected_max() == CLI::detail::expected_max_vector_size && !ends_in_dots(text)) {
    text += " ...";
  }
  return text;
}

std::string HelpFormatter::make_option_desc(const CLI::Option* option) const {
  constexpr std::size_t terminal_columns = 130;
  return wrapped(option->get_description(), terminal_columns - get_column_width());
}

/// Returns the command's footer; before it, the values that variables and the configuration file give.
std::string HelpFormatter::make_footer(const CLI::App* app) const {
  std::string settings;
  for (const CLI::Option* option : app->get_options({})) {
    if (const Preset* preset = preset_of(option); preset != nullptr && app->get_parent() != nullptr && option->nonpositional()) {
      const std::string value = fmt::format("{} {}", option->get_name(), fmt::join(preset->values, ","));
      settings += fmt::format("\n  {:<30}  {}", value, preset->origin);
    }
  }
  return (settings.empty() ? "" : "Settings in force where the command line hasn't the option:" + settings + "\n\n") +
         CLI::Formatter::make_footer(app);
}

std::string HelpFormatter::make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const {
  std::string text = CLI::Formatter::make_help(app, std::move(name), mode);
  for (std::size_t at = text.find("\n\n\n"); at != std::string::npos; at = text.find("\n\n\n")) {
    text.erase(at, 1);
  }
  return text;
}

/// Returns the words of the command line up to `--`.
std::vector<std::string> words(int argc, char** argv) {
  const std::vector<std::string> all(argv + 1, argv + argc);
  return {all.begin(), std::find(all.begin(), all.end(), "--")};
}

std::vector<std::string> option_names(const CLI::App& app) {
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

/// Returns a message about a command line that CLI11 refused. Where a name is unknown, the message helps more than CLI11's own.
std::string describe(const CLI::App& top, const std::vector<std::string>& given, const CLI::ParseError& error) {
  if (dynamic_cast<const CLI::ValidationError*>(&error) != nullptr || dynamic_cast<const CLI::ConversionError*>(&error) != nullptr) {
    return error.what();  // all names are known: a value is wrong
  }
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
      const std::vector<std::string> known = option_names(*app);
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
    if (word.front() == '-' || commands.empty()) {
      continue;
    }
    if (std::find(commands.begin(), commands.end(), word) == commands.end()) {
      if (more > 0) {
        --more;
        continue;
      }
      return fmt::format("unknown command '{}'{}", word, suggestion(word, commands));
    }
    app = app->get_subcommand(word);
  }
  return error.what();
}

/// Returns the full name of the subcommand that was reached, e.g. "flopcast model build".
std::string reached_command(const CLI::App& app) {
  const auto parsed = app.get_subcommands();
  return parsed.empty() ? app.get_name() : app.get_name() + ' ' + reached_command(*parsed.front());
}

}  // namespace

CommandLine::CommandLine(const std::string& program, const std::string& description)
    : app_(std::make_unique<CLI::App>(description, program)) {
  app_->formatter(std::make_shared<HelpFormatter>(notes_));
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
  } catch (const CLI::Success&) {
    write_file("-", app_->help());
    return 0;
  } catch (const CLI::ParseError& error) {
    const std::string name = app_->get_name();
    const std::string text = describe(*app_, words(argc, argv), error);
    std::fputs(fmt::format("{}: {}\nSee '{} --help'.\n", name, text, reached_command(*app_)).c_str(), stderr);
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
    std::fputs(fmt::format("{}: {}\n", app_->get_name(), error.what()).c_str(), stderr);
    return static_cast<int>(error.code());
  }
}

}  // namespace flopcast::cli
