#include <fmt/format.h>
#include <fmt/ranges.h>

#include <vector>

#include "flopcast/cli/manual/completion.hpp"
#include "flopcast/cli/manual/help_text.hpp"
#include "flopcast/support/shell_text.hpp"

namespace flopcast::cli {
namespace {

constexpr const char* begin = R"script(# Completion of flopcast for fish. Made by flopcast from its options.

# Prints the command that the words before the cursor name; behind -- stands a program of its own.
function __flopcast_command
    set -l command flopcast
    for word in (commandline -opc)[2..-1]
        if test "$word" = --
            set command program
            break
        end
        contains -- "$command $word" @COMMANDS@
        and set command "$command $word"
    end
    echo $command
end

function __flopcast_is
    test (__flopcast_command) = "$argv"
end

# Completes the program behind --.
function __flopcast_program
    set -l words (commandline -opc)
    set -l begin (math (contains -i -- -- $words) + 1)
    complete -C (string join ' ' -- $words[$begin..-1] (commandline -ct))
end

# Prints names that the program lists: libraries, routines, schemas.
function __flopcast_names
    set -l words (commandline -opc)
    $words[1] --names $argv 2>/dev/null
end

complete -c flopcast -f
complete -c flopcast -n '__flopcast_is program' -a '(__flopcast_program)'
)script";

std::string quoted(const std::string& text) { return shell_quoted(text, "\\'"); }

/// Options of `complete` for values.
constexpr ValueCompletions values = {" -x -a '{}'", " -x -a '(__flopcast_names {})'", " -r -F", " -x -a '(__fish_complete_directories)'",
                                     " -x"};

std::string line_of(const OptionDescription& option, const std::string& command) {
  std::string names = option.short_name.empty() ? "" : " -s " + option.short_name;
  names += " -l " + option.name;
  for (const std::string& name : option.other_names) {
    names += " -l " + name;
  }
  return fmt::format("{}{}{} -d {}\n", command, names, option.placeholder.empty() ? "" : completion_of(option, values),
                     quoted(short_help(option.help)));
}

std::string lines_of(const CommandDescription& command) {
  const std::string at = fmt::format("complete -c flopcast -n '__flopcast_is {}'", joined_words(command, " "));
  std::string text;
  for (const CommandDescription& below : command.commands) {
    text += fmt::format("{} -a {} -d {}\n", at, below.words.back(), quoted(short_help(below.help)));
  }
  for (const OptionDescription& option : command.options) {
    if (!option.is_argument) {
      text += line_of(option, at);
    } else if (option.kind == ValueKind::command) {
      text += at + " -a --\n";
    } else if (option.kind == ValueKind::file) {
      text += at + " -F\n";
    } else if (!list_of_names(option.kind).empty()) {
      text += fmt::format("{} -a '(__flopcast_names {})'\n", at, list_of_names(option.kind));
    }
  }
  return text;
}

}  // namespace

std::string fish_completion(const CommandDescription& top) {
  std::string lines;
  for (const CommandDescription* command : all_commands(top)) {
    lines += lines_of(*command);
  }
  return with_commands(begin, top, " ") + lines;
}

}  // namespace flopcast::cli
