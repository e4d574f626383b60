#include "flopcast/cli/manual/help_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <sstream>
#include <utility>

#include "flopcast/cli/shared/settings.hpp"

namespace flopcast::cli {
namespace {

std::size_t indentation(const std::string& line) { return std::min(line.find_first_not_of(' '), line.size()); }

/// Returns term and text of "term  text", with two blanks or more between them.
std::optional<std::pair<std::string, std::string>> term_of(const std::string& line) {
  const std::string trimmed = line.substr(indentation(line));
  const std::size_t gap = trimmed.find("  ");
  if (gap == std::string::npos) {
    return std::nullopt;
  }
  const std::size_t text = trimmed.find_first_not_of(' ', gap);
  return text == std::string::npos ? std::nullopt : std::optional(std::pair(trimmed.substr(0, gap), trimmed.substr(text)));
}

/// Returns the terms of lines in two columns. Lines that are indented further go on with the text before them. Returns nothing if there is a
/// line of another form.
std::vector<HelpTerm> terms_of(const std::vector<std::string>& lines) {
  const std::size_t margin = lines.empty() ? 0 : indentation(lines.front());
  std::vector<std::pair<std::string, std::vector<std::string>>> items;  // term, lines of its text
  for (const std::string& line : lines) {
    const bool goes_on = indentation(line) > margin;
    const auto term = term_of(line);
    if (goes_on && !items.empty()) {
      items.back().second.push_back(line.substr(indentation(line)));
    } else if (!goes_on && term) {
      items.emplace_back(term->first, std::vector<std::string>{term->second});
    } else {
      return {};
    }
  }
  std::vector<HelpTerm> terms;
  for (const auto& [term, text] : items) {
    std::vector<HelpTerm> below = text.size() > 1 ? terms_of(text) : std::vector<HelpTerm>();
    const std::string whole = below.empty() ? fmt::format("{}", fmt::join(text, " ")) : "";
    terms.push_back({term, whole, std::move(below)});
  }
  return terms;
}

HelpBlock indented_block(const std::vector<std::string>& lines) {
  HelpBlock block;
  block.terms = terms_of(lines);
  if (block.terms.empty()) {
    const auto less = [](const std::string& a, const std::string& b) { return indentation(a) < indentation(b); };
    const std::size_t margin = indentation(*std::min_element(lines.begin(), lines.end(), less));
    std::transform(lines.begin(), lines.end(), std::back_inserter(block.lines),
                   [=](const std::string& line) { return line.substr(margin); });
  }
  return block;
}

constexpr const char* more_heading = "More:";  // begins what --help-all shows only

/// Returns the lines from `begin` that are indented, or that aren't; an empty line and `more_heading` end both.
std::vector<std::string> run_of(const std::vector<std::string>& lines, std::size_t begin, bool indented) {
  const auto ends = [=](const std::string& line) { return line.empty() || line == more_heading || (indentation(line) > 0) != indented; };
  const auto first = lines.begin() + static_cast<std::ptrdiff_t>(begin);
  return {first, std::find_if(first, lines.end(), ends)};
}

bool is_examples(const std::string& text) { return text == "Examples:" || text == "Example:"; }

}  // namespace

HelpFooter parse_footer(const std::string& footer) {
  std::vector<std::string> lines;
  std::istringstream stream(footer);
  for (std::string line; std::getline(stream, line);) {
    lines.push_back(line);
  }
  HelpFooter parsed;
  std::optional<std::size_t> brief_count;
  for (std::size_t at = 0; at < lines.size();) {
    if (lines[at].empty()) {
      ++at;
      continue;
    }
    if (lines[at] == more_heading) {
      brief_count = parsed.blocks.size();
      ++at;
      continue;
    }
    const bool indented = indentation(lines[at]) > 0;
    const std::vector<std::string> run = run_of(lines, at, indented);
    at += run.size();
    if (indented) {
      parsed.blocks.push_back(indented_block(run));
    } else if (is_examples(run.back())) {
      if (run.size() > 1) {
        parsed.blocks.push_back({fmt::format("{}", fmt::join(run.begin(), run.end() - 1, " ")), {}, {}});
      }
      const std::vector<std::string> examples = run_of(lines, at, true);
      at += examples.size();
      std::transform(examples.begin(), examples.end(), std::back_inserter(parsed.examples),
                     [](const std::string& line) { return line.substr(indentation(line)); });
    } else {
      parsed.blocks.push_back({fmt::format("{}", fmt::join(run, " ")), {}, {}});
    }
  }
  for (std::size_t i = 0; i + 1 < parsed.blocks.size(); ++i) {  // "SPACE is a document like", and lines follow
    if (!parsed.blocks[i].paragraph.empty() && parsed.blocks[i + 1].paragraph.empty()) {
      parsed.blocks[i].paragraph += parsed.blocks[i].paragraph.ends_with(':') ? "" : ":";
    }
  }
  parsed.brief_count = brief_count.value_or(parsed.blocks.size());
  return parsed;
}

std::string sentence(const std::string& text) {
  return text.empty() || std::string(".!?:").find(text.back()) != std::string::npos ? text : text + '.';
}

std::string meaning(const OptionDescription& option) {
  std::string text = sentence(option.help);
  if (!option.range.empty()) {
    text += fmt::format(" Values: {}.", option.range);
  }
  if (!option.default_value.empty() && option.help.find("(default") == std::string::npos) {
    text += fmt::format(" Default: {}.", option.default_value);
  }
  return text;
}

std::string explanation(const OptionDescription& option) {
  std::string text = meaning(option);
  if (!option.setting.empty()) {
    const std::string variable = variable_of(option);
    text += fmt::format(" General setting: {}{}.", option.setting, variable.empty() ? "" : ", variable " + variable);
  }
  return text;
}

std::string usage_of_arguments(const CommandDescription& command) {
  std::string text;
  for (const OptionDescription& option : command.options) {
    if (option.is_argument) {
      const std::string name = option.kind == ValueKind::command ? option.placeholder : option.name;
      const std::string usage = name + (option.takes_several ? "..." : "");
      text += ' ' + (option.required || option.kind == ValueKind::command ? usage : '[' + usage + ']');
    }
  }
  return text.empty() ? text : text.substr(1);
}

std::string option_name(const OptionDescription& option) { return option.is_argument ? option.name : "--" + option.name; }

std::vector<std::string> option_names(const OptionDescription& option) {
  std::vector<std::string> names;
  if (!option.short_name.empty()) {
    names.push_back('-' + option.short_name);
  }
  names.push_back(option_name(option));
  std::transform(option.other_names.begin(), option.other_names.end(), std::back_inserter(names),
                 [](const std::string& name) { return "--" + name; });
  return names;
}

bool prints_text(const OptionDescription& option) { return option.name == "help" || option.name == "help-all" || option.name == "version"; }

std::string usage_of(const OptionDescription& option) {
  const std::string value = option.is_argument ? "" : value_text(option);
  return fmt::format("{}{}{}", fmt::join(option_names(option), ", "), value.empty() ? "" : " ", value);
}

std::string usage_of(const CommandDescription& command) {
  const std::string arguments = usage_of_arguments(command);
  return fmt::format("{} [OPTIONS]{}{}{}", joined_words(command, " "),
                     command.commands.empty() ? ""
                     : command.needs_command  ? " COMMAND"
                                              : " [COMMAND]",
                     arguments.empty() ? "" : " ", arguments);
}

std::string value_text(const OptionDescription& option) {
  return option.choices.empty() ? option.placeholder : fmt::format("{}", fmt::join(option.choices, "|"));
}

std::vector<OptionGroup> groups_of(const CommandDescription& command) {
  std::vector<OptionGroup> groups;
  for (const OptionDescription& option : command.options) {
    const std::string heading = option.is_argument ? "Arguments" : option.group;
    const auto same = [&](const OptionGroup& group) { return group.heading == heading; };
    auto group = std::find_if(groups.begin(), groups.end(), same);
    if (group == groups.end()) {
      group = groups.insert(groups.end(), {heading, {}});
    }
    group->options.push_back(option);
  }
  return groups;
}

std::string joined_words(const CommandDescription& command, const std::string& separator) {
  return fmt::format("{}", fmt::join(command.words, separator));
}

std::vector<const CommandDescription*> all_commands(const CommandDescription& top) {
  std::vector<const CommandDescription*> all = {&top};
  for (const CommandDescription& command : top.commands) {
    const std::vector<const CommandDescription*> below = all_commands(command);
    all.insert(all.end(), below.begin(), below.end());
  }
  return all;
}

std::vector<std::string> broken(const std::string& line, std::size_t width, const std::string& end) {
  if (line.size() <= width) {
    return {line};
  }
  std::vector<std::string> lines = {""};
  std::string word;
  char quote = 0;
  const auto add_word = [&] {
    std::string& last = lines.back();
    const bool is_first = last.find_first_not_of(' ') == std::string::npos;
    if (!is_first && last.size() + 1 + word.size() + end.size() > width) {
      last += end;
      lines.push_back("    " + word);
    } else {
      last += (is_first ? "" : " ") + word;
    }
    word.clear();
  };
  for (const char c : line) {
    if (quote == 0 && c == ' ' && (!word.empty() || lines.back().find_first_not_of(' ') != std::string::npos)) {
      add_word();
      continue;
    }
    quote = quote == c ? '\0' : quote == 0 && (c == '\'' || c == '"') ? c : quote;
    word += c;
  }
  add_word();
  return lines;
}

std::string wrapped(const std::string& text, std::size_t width, const std::string& indent) {
  std::string result;
  std::size_t column = 0;
  std::istringstream stream(text);
  for (std::string word; stream >> word; column += word.size()) {
    if (!result.empty()) {
      const bool fits = column + 1 + word.size() <= width;
      result += fits ? " " : '\n' + indent;
      column = fits ? column + 1 : indent.size();
    }
    result += word;
  }
  return result;
}

}  // namespace flopcast::cli
