#include <algorithm>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "flopcast/cli/manual/documents.hpp"
#include "flopcast/cli/shared/command.hpp"
#include "flopcast/cli/shared/command_line.hpp"
#include "flopcast/cli/shared/option_set.hpp"
#include "flopcast/cli/shared/options.hpp"
#include "flopcast/support/error.hpp"

namespace flopcast::cli {
namespace {

constexpr const char* footer = R"(Without a command, the commands are listed.

Examples:
  flopcast help tune
  flopcast help mpi run)";

/// Returns the command of these words, `top` for none. Throws usage_error for an unknown one, with the names that were probably meant.
CommandDescription find_command(const CommandDescription& top, const std::vector<std::string>& words) {
  const CommandDescription* command = &top;
  for (const std::string& word : words) {
    const std::vector<CommandDescription>& below = command->commands;
    std::vector<std::string> names;
    std::transform(below.begin(), below.end(), std::back_inserter(names), [](const auto& one) { return one.words.back(); });
    const auto found = std::find(names.begin(), names.end(), word);
    if (found == names.end()) {
      const std::string problem = unknown_command(word, names);
      throw usage_error("{} 'flopcast help' lists the commands", problem.ends_with('?') ? problem : problem + '.');
    }
    command = &below[static_cast<std::size_t>(found - names.begin())];
  }
  return *command;
}

void show(const OptionSet& app, const std::vector<std::string>& words, const CommonOptions& common) {
  if (common.json || common.csv) {
    throw usage_error("help is a text: --json and --csv don't go with it. 'flopcast schema' and 'flopcast columns' are for programs");
  }
  emit(help_for_terminal(find_command(app.description(), words), HelpLength::brief), common);
}

}  // namespace

void add_help_command(OptionSet& app, CommonOptions& common) {
  auto words = std::make_shared<std::vector<std::string>>();
  OptionSet command = app.add_command("help", "Show what a command does, with the options that are used most");
  command.option("command", *words, "Command, such as tune or mpi run; default: all commands in a list").placeholder("COMMAND ...");
  command.footer(footer);
  command.action([app, words, &common] { show(app, *words, common); });
}

}  // namespace flopcast::cli
