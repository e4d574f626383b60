#pragma once

/// Manual pages, their parts, and docs/reference/commands.md, all made from the description of the commands.
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "flopcast/cli/shared/command_description.hpp"
#include "flopcast/cli/shared/option_set.hpp"

namespace flopcast::cli {

/// Returns the reference of all commands and options, as Markdown.
std::string commands_page(const CommandDescription& top);

/// A manual page: "flopcast-mpi-tune" and its text for man(7).
struct ManualPage {
  std::string name;
  std::string text;
};

/// Returns the manual page of `command`, which is `top` or one of its commands. `date` is the page's date, such as 2026-01-31; `version` is
/// that of the program.
ManualPage manual_page(const CommandDescription& command, const CommandDescription& top, const std::string& date,
                       const std::string& version);

/// Extent of a help text: --help leaves out rare options, the end of the footer and what the options of every command mean; --help-all
/// has everything.
enum class HelpLength : unsigned char { brief, full };

/// Returns the help text of a command, with lines of at most `width` columns. Longer are only words that can't be broken.
std::string help_page(const CommandDescription& command, std::size_t width, HelpLength length);
/// Returns the help text with lines as wide as the terminal of standard output, or of 80 columns where there is none.
std::string help_for_terminal(const CommandDescription& command, HelpLength length);

struct NamedPlace {
  std::string name;
  std::string meaning;
};

/// Returns the variables that users set, those of the general settings first.
std::vector<NamedPlace> variables(const CommandDescription& top);

/// Returns the files that flopcast reads and writes by itself.
std::vector<NamedPlace> files();

/// Does what the build and the completion scripts ask of the program, and returns the exit code; returns nothing for any other words.
/// `--documents FOLDER DATE` writes the manual pages of that date, the completion scripts and the reference of commands below the folder.
/// `--names LIST` prints the names of a list.
std::optional<int> write_documents(const std::vector<std::string>& words, const OptionSet& top, const std::string& version);

}  // namespace flopcast::cli
