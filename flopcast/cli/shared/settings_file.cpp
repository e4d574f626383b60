#include "flopcast/cli/shared/settings.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>

#include "flopcast/support/error.hpp"

namespace flopcast::cli {
namespace {

constexpr std::size_t max_depth = 16;  // sections within sections

bool is_key_character(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-'; }

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Returns the UTF-8 of a code point.
std::string utf8(std::uint32_t code) {
  const auto tail = [&](int shift) { return static_cast<char>(0x80 | (code >> shift & 0x3F)); };
  if (code < 0x80) {
    return {static_cast<char>(code)};
  }
  if (code < 0x800) {
    return {static_cast<char>(0xC0 | code >> 6), tail(0)};
  }
  if (code < 0x10000) {
    return {static_cast<char>(0xE0 | code >> 12), tail(6), tail(0)};
  }
  return {static_cast<char>(0xF0 | code >> 18), tail(12), tail(6), tail(0)};
}

/// Reads the part of TOML 1.0 that settings need. Dates, tables in braces, arrays of tables and texts of several lines are refused.
class SettingsParser {
 public:
  SettingsParser(std::string_view text, const std::string& file) : text_(text), file_(file) {
    constexpr std::string_view mark = "\xEF\xBB\xBF";  // byte order
    at_ = text_.starts_with(mark) ? mark.size() : 0;
  }

  std::vector<SettingsEntry> parse() {
    std::vector<std::string> section;
    for (skip_lines(); at_ < text_.size(); skip_lines()) {
      if (text_[at_] == '[') {
        section = header();
      } else {
        assignment(section);
      }
      end_of_line();
    }
    return std::move(top_.members);
  }

 private:
  [[noreturn]] void refuse(const std::string& what) const { throw bad_input("{}:{}: {}", file_, line_, what); }

  [[nodiscard]] char next() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  bool take(char c) {
    const bool is_next = at_ < text_.size() && text_[at_] == c;
    at_ += is_next ? 1 : 0;
    return is_next;
  }

  void skip_blanks() {
    while (next() == ' ' || next() == '\t' || (next() == '\r' && at_ + 1 < text_.size() && text_[at_ + 1] == '\n')) {
      ++at_;
    }
    if (next() == '#') {
      at_ = std::min(text_.find('\n', at_), text_.size());
    }
  }

  void skip_lines() {
    for (skip_blanks(); take('\n'); skip_blanks()) {
      ++line_;
    }
  }

  void end_of_line() {
    skip_blanks();
    if (at_ < text_.size() && next() != '\n') {
      refuse(fmt::format("there is more behind {}; expected the end of the line", what_was_read_));
    }
  }

  /// Reads "mpi.tune" or 'mpi."tune"'.
  std::vector<std::string> keys() {
    std::vector<std::string> path;
    do {
      skip_blanks();
      if (next() == '"' || next() == '\'') {
        path.push_back(quoted());
      } else {
        const std::size_t begin = at_;
        while (is_key_character(next())) {
          ++at_;
        }
        if (at_ == begin) {
          refuse("a key is missing; expected a line such as threads = 4, or [tune]");
        }
        path.emplace_back(text_.substr(begin, at_ - begin));
      }
      skip_blanks();
    } while (take('.'));
    if (path.size() > max_depth) {
      refuse(fmt::format("the key has more than {} parts", max_depth));
    }
    return path;
  }

  std::vector<std::string> header() {
    take('[');
    if (next() == '[') {
      refuse("lists of sections, [[...]], aren't settings; expected a section such as [tune]");
    }
    std::vector<std::string> path = keys();
    if (!take(']')) {
      refuse("a section ends with ']', as in [tune]");
    }
    what_was_read_ = fmt::format("[{}]", fmt::join(path, "."));
    if (std::find(headers_.begin(), headers_.end(), path) != headers_.end()) {
      refuse(fmt::format("section {} is there twice", what_was_read_));
    }
    headers_.push_back(path);
    section_of(path);
    return path;
  }

  void assignment(std::vector<std::string> path) {
    const std::vector<std::string> own = keys();
    path.insert(path.end(), own.begin(), own.end());
    SettingsEntry entry;
    entry.key = path.back();
    entry.line = line_;
    if (!take('=')) {
      refuse(fmt::format("key {} has no value; expected a line such as threads = 4", entry.key));
    }
    path.pop_back();
    what_was_read_ = "the value of " + entry.key;
    skip_blanks();
    if (next() == '[') {
      list(entry);
    } else {
      entry.values.push_back(value(entry));
    }
    std::vector<SettingsEntry>& members = section_of(path).members;
    if (std::any_of(members.begin(), members.end(), [&](const SettingsEntry& one) { return one.key == entry.key; })) {
      refuse(fmt::format("{} is there twice", entry.key));
    }
    members.push_back(std::move(entry));
  }

  /// Returns the section of this path, which is added where it doesn't exist.
  SettingsEntry& section_of(const std::vector<std::string>& path) {
    SettingsEntry* section = &top_;
    for (const std::string& key : path) {
      const auto same = [&](const SettingsEntry& one) { return one.key == key; };
      auto found = std::find_if(section->members.begin(), section->members.end(), same);
      if (found == section->members.end()) {
        SettingsEntry added;
        added.key = key;
        added.line = line_;
        added.is_section = true;
        found = section->members.insert(found, std::move(added));
      } else if (!found->is_section) {
        refuse(fmt::format("{} is a section here and a value in line {}", key, found->line));
      }
      section = &*found;
    }
    return *section;
  }

  void list(SettingsEntry& entry) {
    take('[');
    for (skip_lines(); !take(']'); skip_lines()) {
      entry.values.push_back(value(entry));
      if (entry.is_boolean) {
        refuse_kind(entry.key);
      }
      skip_lines();
      if (!take(',') && next() != ']') {
        refuse(fmt::format("the list of {} has no end; expected ',' or ']'", entry.key));
      }
    }
  }

  [[noreturn]] void refuse_kind(const std::string& key) const {
    refuse(fmt::format("{} has a value of another kind; expected a text, a number, true, false, or a list of texts and numbers", key));
  }

  /// Reads a text, a number, or true or false, and returns it as text.
  std::string value(SettingsEntry& entry) {
    if (next() == '"' || next() == '\'') {
      return quoted();
    }
    const std::size_t begin = at_;
    while (is_key_character(next()) || next() == '+' || next() == '.' || next() == ':') {
      ++at_;
    }
    const std::string word(text_.substr(begin, at_ - begin));
    if (word.empty() && next() != '[' && next() != '{') {
      refuse(fmt::format("{} has no value; a text stands in quotation marks", entry.key));
    }
    entry.is_boolean = word == "true" || word == "false";
    if (!entry.is_boolean && !is_number(word)) {
      refuse_word(entry.key, word);
    }
    return entry.is_boolean ? word : number_text(word);
  }

  [[noreturn]] void refuse_word(const std::string& key, const std::string& word) const {
    if (word.empty() || is_digit(word.front()) || word.front() == '-' || word.front() == '+') {
      refuse_kind(key);
    }
    refuse(fmt::format("{} has the value {}; expected a text in quotation marks, a number, true or false", key, word));
  }

  /// Returns a number without the underscores that TOML allows between digits, and without a plus sign.
  static std::string number_text(std::string word) {
    word.erase(0, word.starts_with('+') ? 1 : 0);
    std::erase(word, '_');
    return word;
  }

  static bool is_number(const std::string& word) {
    for (std::size_t i = 0; i < word.size(); ++i) {
      if (word[i] == '_' && (i == 0 || i + 1 == word.size() || !is_digit(word[i - 1]) || !is_digit(word[i + 1]))) {
        return false;
      }
    }
    const std::string text = number_text(word);
    double number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    return error == std::errc() && end == text.data() + text.size() && std::isfinite(number);
  }

  /// Reads a text between quotation marks: as it stands between ', with escapes between ".
  std::string quoted() {
    const char mark = next();
    take(mark);
    if (next() == mark && at_ + 1 < text_.size() && text_[at_ + 1] == mark) {
      refuse("texts of several lines aren't settings; expected a text between single quotation marks");
    }
    std::string text;
    while (!take(mark)) {
      if (at_ >= text_.size() || next() == '\n') {
        refuse(fmt::format("the text has no {} at its end", mark));
      }
      const char c = text_[at_++];
      text += mark == '"' && c == '\\' ? escaped() : std::string(1, c);
    }
    return text;
  }

  std::string escaped() {
    static constexpr std::string_view names = "btnfr\"\\", meanings = "\b\t\n\f\r\"\\";
    const char name = next();
    ++at_;
    if (const std::size_t which = names.find(name); which != std::string_view::npos) {
      return {meanings[which]};
    }
    const std::size_t digits = name == 'u' ? 4 : name == 'U' ? 8 : 0;
    std::uint32_t code = 0;
    const std::string_view hexadecimal = at_ + digits <= text_.size() ? text_.substr(at_, digits) : "";
    const auto [end, error] = std::from_chars(hexadecimal.data(), hexadecimal.data() + hexadecimal.size(), code, 16);
    const bool is_surrogate = code >= 0xD800 && code <= 0xDFFF;
    if (digits == 0 || hexadecimal.empty() || error != std::errc() || end != hexadecimal.data() + digits || code > 0x10FFFF ||
        is_surrogate) {
      refuse("a text has an unknown escape behind \\; between single quotation marks \\ stands for itself");
    }
    at_ += digits;
    return utf8(code);
  }

  std::string_view text_;
  const std::string& file_;
  std::size_t at_ = 0;
  long line_ = 1;
  std::string what_was_read_;
  std::vector<std::vector<std::string>> headers_;
  SettingsEntry top_;
};

}  // namespace

std::vector<SettingsEntry> parse_settings(std::string_view text, const std::string& file) { return SettingsParser(text, file).parse(); }

}  // namespace flopcast::cli
