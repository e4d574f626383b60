#include "flopcast/cli/manual/documents.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

#include "flopcast/cli/manual/help_text.hpp"
#include "flopcast/cli/shared/option_set.hpp"

namespace flopcast::cli {
namespace {

constexpr std::size_t columns = 100;

/// Returns text with the characters escaped that Markdown takes for marks.
std::string markdown_prose(const std::string& text) {
  std::string result;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (std::string("|*<>\\").find(c) != std::string::npos) {
      result += '\\';
    }
    result += c;
  }
  return result;
}

std::string code(const std::string& text) {
  std::string escaped;
  for (const char c : text) {
    escaped += c == '|' ? "\\|" : std::string(1, c);
  }
  return '`' + escaped + '`';
}

std::string options_table(const OptionGroup& group) {
  std::string text = fmt::format("| {} | meaning |\n|---|---|\n", group.heading == "Arguments" ? "argument" : "option");
  for (const OptionDescription& option : group.options) {
    if (prints_text(option)) {
      continue;
    }
    std::vector<std::string> names = option_names(option);
    const std::string value = option.is_argument ? "" : value_text(option);
    names.back() += value.empty() ? "" : ' ' + value;
    std::transform(names.begin(), names.end(), names.begin(), code);
    text += fmt::format("| {} | {} |\n", fmt::join(names, ", "), markdown_prose(explanation(option)));
  }
  return text;
}

std::string list_of(const std::vector<HelpTerm>& terms, const std::string& indent) {
  std::string text;
  for (const HelpTerm& term : terms) {
    text += indent;
    if (term.below.empty()) {
      text +=
          wrapped(fmt::format("- {}: {}", code(term.term), markdown_prose(sentence(term.text))), columns - indent.size(), indent + "  ");
      text += '\n';
    } else {
      text += fmt::format("- {}\n", code(term.term));
      text += list_of(term.below, indent + "    ");
    }
  }
  return text;
}

std::string fenced(const std::vector<std::string>& lines, const char* language) {
  return fmt::format("```{}\n{}\n```\n", language, fmt::join(lines, "\n"));
}

std::string section_of(const CommandDescription& command) {
  const HelpFooter footer = parse_footer(command.footer);
  std::string text = fmt::format("\n## {}\n\n{}\n\n", joined_words(command, " "), wrapped(markdown_prose(sentence(command.help)), columns));
  text += fenced({usage_of(command)}, "text");
  for (const OptionGroup& group : groups_of(command)) {
    const bool has_help_only = std::all_of(group.options.begin(), group.options.end(), prints_text);
    if (group.heading != OptionSet::common_group && !has_help_only) {
      text += group.heading == "Options" || group.heading == "Arguments" ? "\n" : fmt::format("\n{}:\n\n", markdown_prose(group.heading));
      text += options_table(group);
    }
  }
  for (const HelpBlock& block : footer.blocks) {
    text += '\n';
    text += !block.paragraph.empty() ? wrapped(markdown_prose(block.paragraph), columns) + '\n'
            : !block.terms.empty()   ? list_of(block.terms, "")
                                     : fenced(block.lines, "text");
  }
  if (!footer.examples.empty()) {
    text += '\n' + fenced(footer.examples, "sh");
  }
  return text;
}

}  // namespace

std::string commands_page(const CommandDescription& top) {
  std::string text =
      "# Commands\n\n<!-- Made by scripts/make_commands_page from the program's options. -->\n\n"
      "`flopcast COMMAND --help-all` and `man flopcast-COMMAND` have the same text. A general setting\n"
      "gives an option's value from a variable or the [configuration file](files.md#configuration-file).\n"
      "[Exit codes](exit_codes.md), [variables](environment.md) and [options that several commands\n"
      "have](options.md) have pages of their own. The [glossary](glossary.md) defines the terms.\n";
  std::string sections, heading;
  for (const CommandDescription* command : all_commands(top)) {
    if (command == &top) {
      continue;
    }
    const std::string name = joined_words(*command, " ");
    if (command->words.size() == 2 && command->group != heading) {
      heading = command->group;
      text += fmt::format("\n{}:\n\n| command | purpose |\n|---|---|\n", heading);
    }
    text += fmt::format("| [{}](#{}) | {} |\n", name, joined_words(*command, "-"), markdown_prose(sentence(command->help)));
    sections += section_of(*command);
  }
  text += "\n## Options of every command\n\n";
  for (const OptionGroup& group : groups_of(top)) {
    if (group.heading == OptionSet::common_group) {
      text += options_table(group);
    }
  }
  return text + sections;
}

}  // namespace flopcast::cli
