#include "flopcast/cli/manual/completion.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "flopcast/cli/manual/help_text.hpp"
#include "flopcast/kernel/catalogue.hpp"
#include "flopcast/machine/libraries/installed_libraries.hpp"
#include "flopcast/support/error.hpp"
#include "flopcast/tasks/ask/ask.hpp"

namespace flopcast::cli {

std::string names_for_completion(const std::string& list) {
  std::set<std::string> names;
  if (list == "blas" || list == "lapack") {
    for (const machine::InstalledLibrary& library : machine::installed_libraries()) {
      if (list == "blas" ? library.has_blas : library.has_lapack) {
        names.insert(library.name);
      }
    }
  } else if (list == "routines") {
    for (const Routine& routine : kernel::catalogue()) {
      names.insert(std::string(routine.name));
    }
  } else if (list == "schemas") {
    for (const SchemaTitle& schema : schemas()) {
      names.insert(schema.name);
    }
  } else {
    throw usage_error("there is no list '{}' of names; expected blas, lapack, routines or schemas", list);
  }
  std::string text;
  for (const std::string& name : names) {
    text += name + '\n';
  }
  return text;
}

std::string completion_of(const OptionDescription& option, const ValueCompletions& shell) {
  if (!option.choices.empty()) {
    return fmt::format(fmt::runtime(shell.words), fmt::join(option.choices, " "));
  }
  if (const std::string_view list = list_of_names(option.kind); !list.empty()) {
    return fmt::format(fmt::runtime(shell.names), list);
  }
  return option.kind == ValueKind::file ? shell.file : option.kind == ValueKind::folder ? shell.folder : shell.other;
}

std::string argument_completion(const CommandDescription& command, const ValueCompletions& shell) {
  for (const OptionDescription& option : command.options) {
    const std::string completion = !option.is_argument                 ? ""
                                   : option.kind == ValueKind::command ? fmt::format(fmt::runtime(shell.words), "--")
                                                                       : completion_of(option, shell);
    if (!completion.empty()) {
      return completion;
    }
  }
  return "";
}

std::map<std::string, std::vector<std::string>> options_by_completion(const CommandDescription& top, const ValueCompletions& shell) {
  std::map<std::string, std::vector<std::string>> names;
  for (const CommandDescription* command : all_commands(top)) {
    for (const OptionDescription& option : command->options) {
      if (option.is_argument || option.placeholder.empty()) {
        continue;
      }
      for (const std::string& name : option_names(option)) {
        names[completion_of(option, shell)].push_back(fmt::format("'{} {}'", joined_words(*command, " "), name));
      }
    }
  }
  return names;
}

std::string with_commands(std::string script, const CommandDescription& top, std::string_view separator) {
  std::vector<std::string> commands;
  for (const CommandDescription* command : all_commands(top)) {
    if (command != &top) {
      commands.push_back('\'' + joined_words(*command, " ") + '\'');
    }
  }
  constexpr std::string_view mark = "@COMMANDS@";
  return script.replace(script.find(mark), mark.size(), fmt::format("{}", fmt::join(commands, separator)));
}

std::string short_help(const std::string& help) {
  std::size_t end = help.size();
  for (const char* mark : {". ", "; ", ": ", " ("}) {
    end = std::min(end, help.find(mark));
  }
  return help.substr(0, end);
}

}  // namespace flopcast::cli
