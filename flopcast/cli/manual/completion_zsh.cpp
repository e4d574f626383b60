#include <fmt/format.h>
#include <fmt/ranges.h>

#include <vector>

#include "flopcast/cli/manual/completion.hpp"
#include "flopcast/cli/manual/help_text.hpp"
#include "flopcast/support/shell_text.hpp"

namespace flopcast::cli {
namespace {

constexpr const char* begin = R"script(#compdef flopcast
# Completion of flopcast for zsh. Made by flopcast from its options.

# Completes with names that the program lists: libraries, routines, schemas.
_flopcast_names() { compadd -- ${(f)"$(${words[1]} --names $1 2>/dev/null)"} }

_flopcast() {
  local command=flopcast current=${words[CURRENT]} previous=${words[CURRENT-1]} word
  local -i i
  local -a described
  for (( i = 2; i < CURRENT; ++i )); do
    word=${words[i]}
    if [[ $word == -- ]]; then
      shift $i words
      (( CURRENT -= i ))
      _normal
      return
    fi
    case "$command $word" in
      (@COMMANDS@) command="$command $word" ;;
    esac
  done
  if [[ $current == --*=* ]]; then
    previous=${current%%=*}
    compset -P '*='
  fi
  case "$command $previous" in
)script";

constexpr const char* middle = R"script(  esac
  if [[ $current == -* ]]; then
    case $command in
)script";

constexpr const char* end = R"script(    esac
    _describe -o option described
    return
  fi
  case $command in
)script";

/// Returns "'name:help'" for _describe.
std::string described(const std::string& name, const std::string& help) {
  std::string escaped;
  for (const char c : name) {
    escaped += c == ':' ? "\\:" : std::string(1, c);
  }
  return shell_quoted(escaped + ':' + short_help(help));
}

constexpr ValueCompletions values = {"compadd -- {}", "_flopcast_names {}", "_files", "_files -/", ""};

std::string value_cases(const CommandDescription& top) {
  std::string text;
  for (const auto& [completion, names] : options_by_completion(top, values)) {
    text += fmt::format("    ({}) {}; return ;;\n", fmt::join(names, "|"), completion.empty() ? "_message value" : completion);
  }
  return text;
}

std::string option_cases(const CommandDescription& top) {
  std::string text;
  for (const CommandDescription* command : all_commands(top)) {
    text += fmt::format("      ('{}') described=(", joined_words(*command, " "));
    for (const OptionDescription& option : command->options) {
      if (!option.is_argument) {
        for (const std::string& name : option_names(option)) {
          text += "\n        " + described(name, option.help);
        }
      }
    }
    text += ") ;;\n";
  }
  return text;
}

std::string argument_cases(const CommandDescription& top) {
  std::string text;
  for (const CommandDescription* command : all_commands(top)) {
    std::string completion = argument_completion(*command, values);
    if (!command->commands.empty()) {
      completion = "described=(";
      for (const CommandDescription& below : command->commands) {
        completion += "\n        " + described(below.words.back(), below.help);
      }
      completion += "); _describe command described";
    }
    text += completion.empty() ? "" : fmt::format("    ('{}') {} ;;\n", joined_words(*command, " "), completion);
  }
  return text;
}

}  // namespace

std::string zsh_completion(const CommandDescription& top) {
  return with_commands(begin, top, "|") + value_cases(top) + middle + option_cases(top) + end + argument_cases(top) +
         "  esac\n}\n\n_flopcast \"$@\"\n";
}

}  // namespace flopcast::cli
