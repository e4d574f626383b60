#include "flopcast/cli/shared/help_formatter.hpp"

#include <sstream>
#include <string>
#include <utility>

namespace flopcast::cli {
namespace {

/// "INT in [1 - 16]" of "INT:INT in [1 - 16]", "{wall,cpu}" of "TEXT:{wall,cpu}"; "MxN[:KERNEL]" as it is.
std::string allowed_values(const std::string& type_name) {
  const std::size_t type_ends = type_name.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ");
  return type_ends == std::string::npos || type_name[type_ends] != ':' ? type_name : type_name.substr(type_ends + 1);
}

bool ends_in_dots(const std::string& text) { return text.size() >= 3 && text.compare(text.size() - 3, 3, "...") == 0; }

/// `text` with line breaks instead of blanks where a line would be longer than `width`.
std::string wrapped(const std::string& text, std::size_t width) {
  std::string result;
  std::size_t column = 0;
  std::istringstream stream(text);
  for (std::string word; stream >> word; column += word.size()) {
    if (!result.empty()) {
      const bool fits = column + 1 + word.size() <= width;
      result += fits ? ' ' : '\n';
      column = fits ? column + 1 : 0;
    }
    result += word;
  }
  return result;
}

}  // namespace

std::string HelpFormatter::make_option_opts(const CLI::Option* option) const {
  if (option->get_type_size() == 0) {
    return "";
  }
  std::string text = ' ' + allowed_values(option->get_type_name());
  if (!option->get_default_str().empty()) {
    text += '=' + option->get_default_str();
  }
  if (option->get_expected_max() == CLI::detail::expected_max_vector_size && !ends_in_dots(text)) {
    text += " ...";
  }
  return text;
}

std::string HelpFormatter::make_option_desc(const CLI::Option* option) const {
  constexpr std::size_t terminal_columns = 130;
  return wrapped(option->get_description(), terminal_columns - get_column_width());
}

std::string HelpFormatter::make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const {
  std::string text = CLI::Formatter::make_help(app, std::move(name), mode);
  for (std::size_t at = text.find("\n\n\n"); at != std::string::npos; at = text.find("\n\n\n")) {
    text.erase(at, 1);
  }
  return text;
}

}  // namespace flopcast::cli
