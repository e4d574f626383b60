#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "flopcast/cli/shared/command_description.hpp"

/// Scripts that complete command lines: commands, options, values of options, and files.
namespace flopcast::cli {

std::string bash_completion(const CommandDescription& top);
std::string zsh_completion(const CommandDescription& top);
std::string fish_completion(const CommandDescription& top);

/// Kinds of values whose names the program lists for the scripts, by the names of these lists.
constexpr std::string_view list_of_names(ValueKind kind) {
  return kind == ValueKind::blas      ? "blas"
         : kind == ValueKind::lapack  ? "lapack"
         : kind == ValueKind::routine ? "routines"
         : kind == ValueKind::schema  ? "schemas"
                                      : "";
}

/// Returns the names of a list, one a line: installed libraries, routines, schemas. Throws usage_error for a list that doesn't exist.
std::string names_for_completion(const std::string& list);

/// Texts of a shell's script that complete values of each kind; {} stands for the words, or for the list's name.
struct ValueCompletions {
  const char *words, *names, *file, *folder, *other;
};
/// Returns the shell's text that completes the values of an option or argument.
std::string completion_of(const OptionDescription& option, const ValueCompletions& shell);
/// Returns the shell's text that completes the first argument of a command; empty if the command has none.
std::string argument_completion(const CommandDescription& command, const ValueCompletions& shell);
/// Returns the options that take values, such as "'flopcast tune --blas'", by the shell's text that completes their values.
std::map<std::string, std::vector<std::string>> options_by_completion(const CommandDescription& top, const ValueCompletions& shell);
/// Returns `script` with the quoted names of all commands below `top`, between separators, in place of @COMMANDS@.
std::string with_commands(std::string script, const CommandDescription& top, std::string_view separator);
/// Returns the beginning of a help text, up to its first remark.
std::string short_help(const std::string& help);

}  // namespace flopcast::cli
