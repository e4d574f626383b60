#include "flopcast/cli/manual/documents.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>
#include <vector>

#include "flopcast/cli/manual/help_text.hpp"
#include "flopcast/cli/shared/option_set.hpp"
#include "flopcast/report/table.hpp"
#include "flopcast/report/terminal.hpp"
#include "flopcast/support/units.hpp"

namespace flopcast::cli {
namespace {

constexpr std::size_t indent = 2, gap = 2;
constexpr std::size_t max_option_column = 26;

using Entry = std::pair<std::string, std::string>;  ///< a name or form, and its meaning

/// Returns the column at which the texts of `entries` begin: behind the longest term with which it isn't above `max_column`.
std::size_t text_column(const std::vector<Entry>& entries, std::size_t margin, std::size_t max_column) {
  std::size_t column = margin + gap;
  for (const auto& [term, text] : entries) {
    const std::size_t end = margin + report::display_width(term) + gap;
    column = end <= max_column ? std::max(column, end) : column;
  }
  return column > margin + gap ? column : max_column;
}

/// Returns the entries in two columns, whose texts begin at `column`. A long term has its text on the lines below.
std::string listing(const std::vector<Entry>& entries, std::size_t margin, std::size_t column) {
  std::string text;
  for (const auto& [term, meaning] : entries) {
    const std::size_t end = margin + report::display_width(term);
    text += std::string(margin, ' ') + term;
    text += end + gap <= column ? std::string(column - end, ' ') : '\n' + std::string(column, ' ');
    text += meaning + '\n';
  }
  return text;
}

std::string listing_of(const std::vector<HelpTerm>& terms, std::size_t margin, std::size_t width) {
  std::vector<Entry> entries;
  for (const HelpTerm& term : terms) {
    entries.emplace_back(term.term, term.text);
  }
  const std::size_t column = text_column(entries, margin, width / 2);
  std::string text;
  for (std::size_t i = 0; i < terms.size(); ++i) {
    text += terms[i].below.empty() ? listing({entries[i]}, margin, column)
                                   : std::string(margin, ' ') + terms[i].term + '\n' + listing_of(terms[i].below, margin + indent, width);
  }
  return text;
}

std::string meaning_in_force(const OptionDescription& option) {
  return meaning(option) + (option.in_force.empty() ? "" : fmt::format(" In force: {}.", option.in_force));
}

/// Returns a text up to its first ". " or "; " outside of parentheses, or up to ": " where values follow that the option's form names
/// already.
std::string first_sentence(const OptionDescription& option) {
  const std::string& text = option.help;
  const std::string_view ends = option.choices.empty() ? ".;" : ".;:";
  int depth = 0;
  for (std::size_t i = 0; i + 1 < text.size(); ++i) {
    depth += text[i] == '(' ? 1 : text[i] == ')' ? -1 : 0;
    if (depth == 0 && text[i + 1] == ' ' && ends.find(text[i]) != std::string_view::npos) {
      return text.substr(0, i);
    }
  }
  return text;
}

std::vector<Entry> entries_of(const std::vector<OptionDescription>& options) {
  std::vector<Entry> entries;
  std::transform(options.begin(), options.end(), std::back_inserter(entries),
                 [](const OptionDescription& option) { return Entry(usage_of(option), meaning_in_force(option)); });
  return entries;
}

/// Returns whether every command has the option: one of `OptionSet::common_group`, or one that prints a text.
bool is_common(const OptionDescription& option) { return option.group == OptionSet::common_group || prints_text(option); }

/// Returns "Every command: --help, --json, --output FILE".
std::string common_options(const CommandDescription& command) {
  std::vector<std::string> names;
  for (const OptionDescription& option : command.options) {
    if (is_common(option)) {
      const std::string value = value_text(option);
      names.push_back(option_name(option) + (value.empty() ? "" : ' ' + value));
    }
  }
  return names.empty() ? "" : fmt::format("\nEvery command: {}\n", fmt::join(names, ", "));
}

std::string option_lists(const CommandDescription& command, std::size_t width) {
  const std::size_t column = text_column(entries_of(command.options), indent, std::min(max_option_column, width / 3));
  std::string text;
  for (const OptionGroup& group : groups_of(command)) {
    text += fmt::format("\n{}:\n{}", group.heading, listing(entries_of(group.options), indent, column));
  }
  return text;
}

std::string command_list(const CommandDescription& command, std::size_t width) {
  std::vector<Entry> entries;
  for (const CommandDescription& below : command.commands) {
    entries.emplace_back(below.words.back(), sentence(below.help));
  }
  const std::size_t column = text_column(entries, indent, width / 3);
  std::string text;
  std::string_view heading;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    text += command.commands[i].group == heading ? "" : fmt::format("\n{}:\n", command.commands[i].group);
    heading = command.commands[i].group;
    text += listing({entries[i]}, indent, column);
  }
  return text;
}

/// Returns the first paragraphs and lists of a footer. A list follows its paragraph without an empty line.
std::string footer_text(const HelpFooter& footer, std::size_t count, std::size_t width) {
  std::string text;
  bool is_first = true, after_heading = false;
  for (std::size_t i = 0; i < count; ++i) {
    const HelpBlock& block = footer.blocks[i];
    const bool is_paragraph = !block.paragraph.empty();
    text += is_first || is_paragraph || !after_heading ? "\n" : "";
    if (is_paragraph) {
      text += block.paragraph + '\n';
    } else {
      text += listing_of(block.terms, indent, width);
      for (const std::string& line : block.lines) {
        text += std::string(indent, ' ') + line + '\n';
      }
    }
    is_first = false;
    after_heading = is_paragraph;
  }
  return text;
}

std::string examples_text(const std::vector<std::string>& examples, std::size_t width) {
  std::string text = examples.empty() ? "" : examples.size() == 1 ? "\nExample:\n" : "\nExamples:\n";
  for (const std::string& example : examples) {
    for (const std::string& line : broken(example, width - indent, " \\")) {
      text += std::string(indent, ' ') + line + '\n';
    }
  }
  return text;
}

/// Returns the last line of the brief help, which says how to see the rest; nothing where there is no rest.
std::string more_text(const CommandDescription& command, const HelpFooter& footer) {
  const auto rare = std::count_if(command.options.begin(), command.options.end(), [](const auto& option) { return option.is_rare; });
  if (rare == 0 && footer.brief_count == footer.blocks.size()) {
    return "";
  }
  return fmt::format("\n{}: {} --help-all\n", rare > 0 ? counted(rare, "more option") : "More", joined_words(command, " "));
}

}  // namespace

std::string help_page(const CommandDescription& command, std::size_t width, HelpLength length) {
  constexpr std::size_t min_width = 40;
  const std::size_t columns = std::max(width, min_width);
  const bool is_full = length == HelpLength::full;
  const HelpFooter footer = parse_footer(command.footer);
  CommandDescription shown = command;
  if (!is_full) {
    std::erase_if(shown.options, [](const OptionDescription& option) { return option.is_rare || is_common(option); });
    for (OptionDescription& option : shown.options) {
      option.help = first_sentence(option);
    }
  }
  const std::string texts = fmt::format("{}\nUsage: {}\n{}{}{}{}", command.help, usage_of(command), option_lists(shown, columns),
                                        command_list(command, columns), is_full ? "" : common_options(command),
                                        footer_text(footer, is_full ? footer.blocks.size() : footer.brief_count, columns));
  const std::string more = is_full ? "" : report::wrapped(more_text(command, footer), columns);
  return report::wrapped(texts, columns) + examples_text(footer.examples, columns) + more;
}

std::string help_for_terminal(const CommandDescription& command, HelpLength length) {
  constexpr std::size_t usual_width = 80;
  return help_page(command, report::terminal_width(STDOUT_FILENO).value_or(usual_width), length);
}

}  // namespace flopcast::cli
