#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "flopcast/cli/shared/command_description.hpp"

/// The texts of help, in the parts from which manual pages and the reference are made.
namespace flopcast::cli {

/// A term with its explanation, such as a value of an option.
struct HelpTerm {
  std::string term, text;
  std::vector<HelpTerm> below;  ///< instead of a text
};

/// A part of a command's footer: one of the members has something.
struct HelpBlock {
  std::string paragraph;           ///< one line
  std::vector<std::string> lines;  ///< lines of the text without their common indentation
  std::vector<HelpTerm> terms;
};

/// A command's footer.
struct HelpFooter {
  std::vector<HelpBlock> blocks;
  std::size_t brief_count = 0;  ///< number of the first blocks, which --help shows, too
  std::vector<std::string> examples;
};

/// Takes the footer apart. Indented lines of two columns are terms, other indented lines stay as they are, and lines that aren't indented make
/// paragraphs. Only --help-all shows the text behind a line "More:". The lines after "Examples:" or "Example:" are the examples.
HelpFooter parse_footer(const std::string& footer);

/// Returns `text` with a full stop at its end, unless a mark stands there.
std::string sentence(const std::string& text);

/// Returns what help, range and default say of an option, as sentences.
std::string meaning(const OptionDescription& option);

/// Returns the meaning of an option and the general setting that gives its value, as sentences.
std::string explanation(const OptionDescription& option);

/// Returns "routine [arguments...]" for the arguments of a command.
std::string usage_of_arguments(const CommandDescription& command);

/// Returns "--name", or the argument's name.
std::string option_name(const OptionDescription& option);

/// Returns all names of an option: "-o", "--output".
std::vector<std::string> option_names(const OptionDescription& option);

/// Returns whether the option prints a text about the program and does nothing else: --help, --help-all or --version.
bool prints_text(const OptionDescription& option);

/// Returns "-o, --output FILE", or the name of an argument.
std::string usage_of(const OptionDescription& option);

/// Returns "flopcast tune [OPTIONS] routine [arguments...]".
std::string usage_of(const CommandDescription& command);

/// Returns "FILE", "auto|library", or nothing for a flag.
std::string value_text(const OptionDescription& option);

/// The options of one heading, in their order.
struct OptionGroup {
  std::string heading;
  std::vector<OptionDescription> options;
};
std::vector<OptionGroup> groups_of(const CommandDescription& command);

/// Returns "flopcast mpi tune" with `separator` between the words.
std::string joined_words(const CommandDescription& command, const std::string& separator);

/// Returns the command and all commands below it, itself first.
std::vector<const CommandDescription*> all_commands(const CommandDescription& top);

/// Returns the lines into which a line of a shell is broken so that each takes at most `width` columns. Lines end between words outside of
/// quotation marks; `end` ends all but the last one.
std::vector<std::string> broken(const std::string& line, std::size_t width, const std::string& end);

/// Returns `text` with line breaks instead of blanks, where a line would be longer than `width`. Later lines begin with `indent`.
std::string wrapped(const std::string& text, std::size_t width, const std::string& indent = "");

}  // namespace flopcast::cli
