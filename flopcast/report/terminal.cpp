#include "flopcast/report/terminal.hpp"

#include <sys/ioctl.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdlib>

#include "flopcast/report/table.hpp"

namespace flopcast::report {
namespace {

bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

/// Returns whether `word` is a sign such as "/", "*" or "..", and no word or number.
bool is_sign(std::string_view word) {
  return std::none_of(word.begin(), word.end(), [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || (c & 0x80) != 0; });
}

/// Returns whether a line may not end between two words: between a number and its unit, and before a sign. A line may end behind the signs
/// that stand between the ends of a range.
bool belong_together(std::string_view word, std::string_view next) {
  constexpr std::size_t longest_unit = 7;  // "GFLOP/s"
  const bool is_unit = next.size() <= longest_unit + 1 && !is_digit(next.front());
  return is_sign(next) || (is_digit(word.back()) && is_unit) || (is_sign(word) && word != "-" && word != "..");
}

std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> words;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    if (end > 0) {
      words.push_back(text.substr(0, end));
    }
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return words;
}

/// Returns the parts of `text` between which lines may end.
std::vector<std::string> parts_of(std::string_view text) {
  std::vector<std::string> parts;
  std::string_view before;
  for (const std::string_view word : words_of(text)) {
    if (!parts.empty() && belong_together(before, word)) {
      parts.back() += ' ' + std::string(word);
    } else {
      parts.emplace_back(word);
    }
    before = word;
  }
  return parts;
}

/// Returns the number of bytes of the first `width` columns of `text`, and of one character at least.
std::size_t bytes_within(std::string_view text, std::size_t width) {
  const auto begins_character = [&text](std::size_t at) { return at >= text.size() || (text[at] & 0xC0) != 0x80; };
  std::size_t bytes = 0;
  for (std::size_t end = 1; end <= text.size(); ++end) {
    if (!begins_character(end)) {
      continue;
    }
    if (bytes > 0 && display_width(text.substr(0, end)) > width) {
      break;
    }
    bytes = end;
  }
  return bytes;
}

/// Returns how many bytes of `word` stand on a line of `width` columns, which is shorter than the word.
std::size_t cut_of(std::string_view word, std::size_t width) {
  const std::size_t most = bytes_within(word, width);
  const std::size_t sign = word.substr(0, most).find_last_of("/,= ");
  return sign == std::string_view::npos || sign < most / 2 ? most : sign + 1;
}

/// Returns how many bytes of `line` stand before its text: an indentation, a list's dash, or a label with two blanks behind it.
std::size_t text_begin(std::string_view line, std::size_t width) {
  const std::size_t begin = std::min(line.find_first_not_of(' '), line.size());
  if (line.substr(begin, 2) == "- ") {
    return begin + 2;
  }
  const std::size_t gap = line.find("  ", begin);
  const std::size_t text = gap == std::string_view::npos ? gap : line.find_first_not_of(' ', gap);
  return text == std::string_view::npos || text > width / 2 ? begin : text;
}

/// Returns `line` broken at blanks into lines of `width` columns, whose texts stand below each other.
std::string wrapped_line(std::string_view line, std::size_t width) {
  const std::size_t begin = text_begin(line, width);
  std::string result(line.substr(0, begin));
  const std::size_t indent = display_width(result);
  std::size_t column = 0;
  for (const std::string& part : parts_of(line.substr(begin))) {
    const std::size_t columns = display_width(part);
    if (column > 0 && column + 1 + columns <= width) {
      result += ' ' + part;
      column += 1 + columns;
    } else {
      result += (column > 0 ? '\n' + std::string(indent, ' ') : "") + part;
      column = indent + columns;
    }
  }
  return result;
}

}  // namespace

std::optional<std::size_t> terminal_width(int descriptor) {
  if (const char* variable = std::getenv("COLUMNS")) {
    const std::string_view text(variable);
    std::size_t columns = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), columns);
    if (error == std::errc() && end == text.data() + text.size() && columns > 0) {
      return columns;
    }
  }
  winsize size{};
  if (::ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) {
    return size.ws_col;
  }
  return std::nullopt;
}

std::vector<std::string> folded(std::string_view text, std::size_t width) {
  if (display_width(text) <= width) {
    return {std::string(text)};
  }
  std::vector<std::string> lines;
  for (const std::string& part : parts_of(text)) {
    if (!lines.empty() && display_width(lines.back()) + 1 + display_width(part) <= width) {
      lines.back() += ' ' + part;
      continue;
    }
    std::string_view rest = part;
    while (display_width(rest) > width) {
      const std::size_t cut = cut_of(rest, width);
      lines.emplace_back(rest.substr(0, rest[cut - 1] == ' ' ? cut - 1 : cut));
      rest.remove_prefix(cut);
    }
    if (!rest.empty()) {
      lines.emplace_back(rest);
    }
  }
  return lines;
}

std::size_t unbroken_width(std::string_view text) {
  std::size_t width = 0;
  for (const std::string& part : parts_of(text)) {
    width = std::max(width, display_width(part));
  }
  return width;
}

std::string wrapped(std::string_view text, std::size_t width) {
  std::string result;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    result += display_width(line) <= width || line.front() == '|' ? std::string(line) : wrapped_line(line, width);
    if (end == std::string_view::npos) {
      break;
    }
    result += '\n';
    text.remove_prefix(end + 1);
  }
  return result;
}

}  // namespace flopcast::report
