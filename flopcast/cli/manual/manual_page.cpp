#include "flopcast/cli/manual/documents.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <set>
#include <vector>

#include "flopcast/cli/manual/help_text.hpp"
#include "flopcast/cli/shared/exit_codes.hpp"
#include "flopcast/cli/shared/settings.hpp"

namespace flopcast::cli {
namespace {

constexpr std::size_t text_columns = 71;  // of 80, behind the margins of a page

/// Returns `text` with what man(7) would take for commands and other characters escaped. All hyphens stay what one types.
std::string typed(const std::string& text) {
  static const std::map<char, std::string> escapes = {{'\\', "\\e"},  {'-', "\\-"},   {'\'', "\\(aq"},
                                                      {'`', "\\(ga"}, {'~', "\\(ti"}, {'^', "\\(ha"}};
  std::string result;
  for (const char c : text) {
    const auto escape = escapes.find(c);
    result += escape == escapes.end() ? std::string(1, c) : escape->second;
  }
  return result.starts_with('.') ? "\\&" + result : result;
}

std::string bold(const std::string& text) { return "\\fB" + typed(text) + "\\fR"; }
std::string italic(const std::string& text) { return "\\fI" + typed(text) + "\\fR"; }

/// Returns whether a quoted word begins at `at`: a quotation mark that is no apostrophe.
bool is_quoted(const std::string& text, std::size_t at, std::size_t& end) {
  const auto is_letter = [&](std::size_t i) { return i < text.size() && std::isalnum(static_cast<unsigned char>(text[i])) != 0; };
  if (text[at] != '\'' || (at > 0 && is_letter(at - 1))) {
    return false;
  }
  end = text.find('\'', at + 1);
  while (end != std::string::npos && is_letter(end + 1)) {
    end = text.find('\'', end + 1);
  }
  return end != std::string::npos && end > at + 1;
}

/// Returns prose: quoted words are bold without their marks, options keep the hyphens that one types, and a line doesn't begin with a mark
/// that man(7) takes for a command.
std::string prose(const std::string& text) {
  std::string result;
  for (std::size_t at = 0; at < text.size(); ++at) {
    std::size_t end = 0;
    const bool begins_word = at == 0 || std::string(" (,").find(text[at - 1]) != std::string::npos;
    if (is_quoted(text, at, end)) {
      result += bold(text.substr(at + 1, end - at - 1));
      at = end;
    } else if (text[at] == '-' && begins_word && at + 1 < text.size() && text[at + 1] != ' ') {
      const std::size_t word_end = std::min(text.find_first_of(" ,;:.)=", at), text.size());
      result += bold(text.substr(at, word_end - at));
      at = word_end - 1;
    } else if (text[at] == '\'') {
      result += result.empty() ? "\\(aq" : "'";
    } else {
      result += text[at] == '-' ? "\\-" : typed(std::string(1, text[at]));
    }
  }
  return result.starts_with('.') ? "\\&" + result : result;
}

std::string literal(const std::vector<std::string>& lines, const std::string& end) {
  std::string text = ".nf\n";
  for (const std::string& line : lines) {
    const std::vector<std::string> parts = broken(line, text_columns, end);
    for (const std::string& part : parts) {
      text += typed(part) + '\n';
    }
  }
  return text + ".fi\n";
}

std::string terms(const std::vector<HelpTerm>& list) {
  std::string text;
  for (const HelpTerm& term : list) {
    text += term.below.empty() ? fmt::format(".TP\n{}\n{}\n", bold(term.term), prose(term.text))
                               : fmt::format(".PP\n{}\n.RS\n{}.RE\n", bold(term.term), terms(term.below));
  }
  return text;
}

/// Returns the help without the program's name before it.
std::string own_help(const CommandDescription& command) {
  const std::string name = command.words.front() + ": ";
  std::string text = command.help.starts_with(name) ? command.help.substr(name.size()) : command.help;
  if (!text.empty()) {
    text.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(text.front())));
  }
  return text;
}

std::string tag_of(const OptionDescription& option) {
  std::vector<std::string> names;
  for (const std::string& name : option_names(option)) {
    names.push_back(option.is_argument ? italic(name) : bold(name));
  }
  std::string tag = fmt::format("{}", fmt::join(names, ", "));
  if (option.is_argument) {
    return tag;
  }
  if (!option.choices.empty()) {
    std::vector<std::string> values;
    std::transform(option.choices.begin(), option.choices.end(), std::back_inserter(values), italic);
    tag += fmt::format(" {}", fmt::join(values, "|"));
  } else if (!option.placeholder.empty()) {
    tag += ' ' + italic(option.placeholder);
  }
  return tag;
}

std::string options_section(const CommandDescription& command) {
  std::string text = ".SH OPTIONS\n";
  const std::vector<OptionGroup> groups = groups_of(command);
  for (const OptionGroup& group : groups) {
    text +=
        group.heading == groups.front().heading && !group.options.front().is_argument ? "" : fmt::format(".SS {}\n", prose(group.heading));
    for (const OptionDescription& option : group.options) {
      text += fmt::format(".TP\n{}\n{}\n", tag_of(option), prose(explanation(option)));
    }
  }
  return text;
}

std::string description_section(const CommandDescription& command, const HelpFooter& footer, bool is_top) {
  std::string text = ".SH DESCRIPTION\n" + prose(sentence(own_help(command))) + '\n';
  for (const HelpBlock& block : footer.blocks) {
    if (!block.paragraph.empty()) {
      text += ".PP\n" + prose(block.paragraph) + '\n';
    } else if (!block.terms.empty()) {
      text += terms(block.terms);
    } else {
      text += ".PP\n" + literal(block.lines, "");
    }
  }
  if (is_top) {
    text += ".PP\n" +
            prose(
                "The documents have tutorials, how-tos, a reference and explanations. They begin at docs/index.md of the sources, and at "
                "/usr/share/doc/flopcast/html/index.html where the package flopcast-doc is installed.") +
            '\n';
  }
  if (!command.commands.empty()) {
    text += ".SH COMMANDS\n";
    for (const CommandDescription& below : command.commands) {
      text += fmt::format(".TP\n{}(1)\n{}\n", bold(joined_words(below, "-")), prose(sentence(below.help)));
    }
  }
  return text;
}

/// Returns the section on the configuration file, which the page of the program has.
std::string configuration_section(const CommandDescription& top) {
  std::set<std::string> keys;
  for (const CommandDescription* command : all_commands(top)) {
    for (const OptionDescription& option : command->options) {
      if (!option.setting.empty()) {
        keys.insert(option.setting);
      }
    }
  }
  std::string text = ".SH CONFIGURATION\n";
  text += prose(fmt::format("A value comes from the command line, else from a variable, else from the configuration file, else it is the "
                            "default. The file is TOML. Its first lines may have general settings: {}. A command's section has the "
                            "command's options without their dashes; flags are true or false. Arguments of a command, --json, --csv and "
                            "--output can't be set. Unknown keys and wrong values end a command with a message that names file and line.",
                            fmt::join(keys, ", "))) +
          "\n.PP\n";
  text += literal({"blas = \"openblas-serial\"", "threads = 1", "", "[tune]", "time-budget = \"2min\"", "nb = \"16:128:16\"", "",
                   "[mpi.tune]", "policy = \"online\""},
                  "");
  return text + ".PP\nLibraries and threads of programs that flopcast starts are set in the sections [run], [env] and [record] only.\n";
}

std::string exit_status_section() {
  std::string text = ".SH EXIT STATUS\n";
  for (const ExitCodeMeaning& code : exit_codes) {
    text += fmt::format(".TP 5\n.B {}\n{}\n", code.code, prose(std::string(code.meaning)));
  }
  return text;
}

std::string places_sections(const CommandDescription& command, const CommandDescription& top) {
  const bool is_top = &command == &top;
  std::set<std::string> used = {"FLOPCAST_CONFIG", "FLOPCAST_HOME"};
  for (const OptionDescription& option : command.options) {
    used.insert(variable_of(option));
  }
  std::string text = ".SH FILES\n";
  for (const NamedPlace& file : files()) {
    text += fmt::format(".TP\n.I {}\n{}\n", typed(file.name), prose(file.meaning));
  }
  text += ".PP\nWith FLOPCAST_HOME set, store, tuning file and measured caches are in the folder that it names.\n.SH ENVIRONMENT\n";
  for (const NamedPlace& variable : variables(top)) {
    if (is_top || used.count(variable.name) > 0) {
      text += fmt::format(".TP\n.B {}\n{}\n", typed(variable.name), prose(variable.meaning));
    }
  }
  return is_top ? text : text + ".PP\n\\fBflopcast\\fR(1) has more variables and describes the configuration file.\n";
}

/// Returns the pages of the command before, of the commands below, and of those that the command's texts name.
std::string see_also_section(const CommandDescription& command, const CommandDescription& top) {
  std::string texts = command.help + ' ' + command.footer;
  for (const OptionDescription& option : command.options) {
    texts += ' ' + option.help;
  }
  std::vector<std::string> pages;
  for (const CommandDescription* other : all_commands(top)) {
    const bool is_before =
        other->words.size() < command.words.size() && std::equal(other->words.begin(), other->words.end(), command.words.begin());
    const bool is_below =
        other->words.size() == command.words.size() + 1 && std::equal(command.words.begin(), command.words.end(), other->words.begin());
    const bool is_named =
        other != &top && other != &command && other->commands.empty() && texts.find(joined_words(*other, " ")) != std::string::npos;
    if (is_before || is_below || is_named) {
      pages.push_back(bold(joined_words(*other, "-")) + "(1)");
    }
  }
  std::sort(pages.begin(), pages.end());
  return fmt::format(".SH SEE ALSO\n{}\n", fmt::join(pages, ",\n"));
}

std::string upper(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](char c) { return static_cast<char>(std::toupper(static_cast<unsigned char>(c))); });
  return text;
}

/// Returns the help as the line of a list of pages: without the program's name, and with a small letter first unless the word is an
/// abbreviation.
std::string summary_of(const CommandDescription& command) {
  std::string text = own_help(command);
  if (text.size() > 1 && std::islower(static_cast<unsigned char>(text[1])) != 0) {
    text.front() = static_cast<char>(std::tolower(static_cast<unsigned char>(text.front())));
  }
  return text;
}

}  // namespace

ManualPage manual_page(const CommandDescription& command, const CommandDescription& top, const std::string& date,
                       const std::string& version) {
  const std::string name = joined_words(command, "-");
  HelpFooter footer = parse_footer(command.footer);
  std::erase_if(footer.blocks, [after = false](const HelpBlock& block) mutable {  // they have a section of their own
    const bool is_list = after;
    after = block.paragraph == "Exit codes:";
    return after || is_list;
  });
  std::string text =
      fmt::format(".\\\" Made by flopcast from its options.\n.TH {} 1 \"{}\" \"flopcast {}\" \"flopcast manual\"\n.nh\n.ad l\n",
                  typed(upper(name)), date, version);
  text += fmt::format(".SH NAME\n{} \\- {}\n", typed(name), prose(summary_of(command)));
  text += fmt::format(".SH SYNOPSIS\n{} [{}]{}{}\n", bold(joined_words(command, " ")), italic("OPTIONS"),
                      command.commands.empty() ? ""
                      : command.needs_command  ? " " + italic("COMMAND")
                                               : " [" + italic("COMMAND") + ']',
                      usage_of_arguments(command).empty() ? "" : ' ' + italic(usage_of_arguments(command)));
  text += description_section(command, footer, &command == &top);
  text += options_section(command);
  text += &command == &top ? configuration_section(top) : "";
  text += exit_status_section();
  text += places_sections(command, top);
  text += footer.examples.empty() ? "" : ".SH EXAMPLES\n" + literal(footer.examples, " \\");
  text += see_also_section(command, top);
  return {name, text};
}

}  // namespace flopcast::cli
