#pragma once

#include <functional>
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

/// Returns the options that take values, such as "'flopcast tune --blas'", by the shell command that completes their values.
std::map<std::string, std::vector<std::string>> options_by_completion(
    const CommandDescription& top, const std::function<std::string(const OptionDescription&)>& completion_of);

/// Returns the beginning of a help text, up to its first remark.
std::string short_help(const std::string& help);

/// Returns `text` between single quotation marks, as a shell reads it: `mark` stands for such a mark in the text.
std::string shell_quoted(const std::string& text, std::string_view mark);

}  // namespace flopcast::cli
