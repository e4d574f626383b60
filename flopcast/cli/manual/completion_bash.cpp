#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

#include "flopcast/cli/manual/completion.hpp"
#include "flopcast/cli/manual/help_text.hpp"

namespace flopcast::cli {
namespace {

constexpr const char* begin = R"script(# Completion of flopcast for bash. Made by flopcast from its options.

# Completes with the words given that begin with the current one.
_flopcast_words() { mapfile -t COMPREPLY < <(compgen -W "$*" -- "$current"); }

# Completes with names that the program lists: libraries, routines, schemas.
_flopcast_names() { _flopcast_words "$("${COMP_WORDS[0]}" --names "$1" 2>/dev/null)"; }

_flopcast_files() {
  compopt -o filenames 2>/dev/null
  mapfile -t COMPREPLY < <(compgen "$1" -- "$current")
}

# Completes the program that follows --, whose first word is number $1.
_flopcast_program() {
  if declare -F _command_offset >/dev/null; then
    _command_offset "$1"
  elif ((COMP_CWORD == $1)); then
    mapfile -t COMPREPLY < <(compgen -c -- "$current")
  else
    _flopcast_files -f
  fi
}

_flopcast() {
  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} command=flopcast word i
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; ++i)); do
    word=${COMP_WORDS[i]}
    if [[ $word == -- ]]; then
      _flopcast_program $((i + 1))
      return
    fi
    case "$command $word" in
      @COMMANDS@) command="$command $word" ;;
    esac
  done
  # bash makes three words of --option=value
  if [[ $current == = ]]; then
    current=
  elif [[ $previous == = ]]; then
    previous=${COMP_WORDS[COMP_CWORD - 2]}
  fi
  case "$command $previous" in
)script";

constexpr const char* middle = R"script(  esac
  if [[ $current == -* ]]; then
    case $command in
)script";

constexpr const char* end = R"script(    esac
    return
  fi
  case $command in
)script";

constexpr ValueCompletions values = {"_flopcast_words {}", "_flopcast_names {}", "_flopcast_files -f", "_flopcast_files -d", ""};

/// Returns the cases of options that take values, those with the same completion in one.
std::string value_cases(const CommandDescription& top) {
  std::string text;
  for (const auto& [completion, names] : options_by_completion(top, values)) {
    text += fmt::format("    {})\n      {}\n      return\n      ;;\n", fmt::join(names, " | "), completion.empty() ? ":" : completion);
  }
  return text;
}

std::string option_cases(const CommandDescription& top) {
  std::string text;
  for (const CommandDescription* command : all_commands(top)) {
    std::vector<std::string> names;
    for (const OptionDescription& option : command->options) {
      if (!option.is_argument) {
        const std::vector<std::string> more = option_names(option);
        names.insert(names.end(), more.begin(), more.end());
      }
    }
    text += fmt::format("      '{}') _flopcast_words {} ;;\n", joined_words(*command, " "), fmt::join(names, " "));
  }
  return text;
}

/// Returns the cases of words without dashes: commands, else arguments.
std::string argument_cases(const CommandDescription& top) {
  std::string text;
  for (const CommandDescription* command : all_commands(top)) {
    std::vector<std::string> names;
    for (const CommandDescription& below : command->commands) {
      names.push_back(below.words.back());
    }
    const std::string completion =
        names.empty() ? argument_completion(*command, values) : fmt::format("_flopcast_words {}", fmt::join(names, " "));
    text += completion.empty() ? "" : fmt::format("    '{}') {} ;;\n", joined_words(*command, " "), completion);
  }
  return text;
}

}  // namespace

std::string bash_completion(const CommandDescription& top) {
  return with_commands(begin, top, " | ") + value_cases(top) + middle + option_cases(top) + end + argument_cases(top) +
         "  esac\n}\ncomplete -F _flopcast flopcast\n";
}

}  // namespace flopcast::cli
