#include "flopcast/support/shell_text.hpp"

namespace flopcast {

std::string shell_quoted(std::string_view text, std::string_view mark) {
  std::string quoted = "'";
  for (const char c : text) {
    if (c == '\'') {
      quoted += mark;
    } else {
      quoted += c;
    }
  }
  return quoted + '\'';
}

std::string shell_text(const std::vector<std::string>& words) {
  constexpr std::string_view plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./=,:+@%";
  std::string text;
  for (const std::string& word : words) {
    const bool is_plain = !word.empty() && word.find_first_not_of(plain) == std::string::npos;
    text += (text.empty() ? "" : " ") + (is_plain ? word : shell_quoted(word));
  }
  return text;
}

}  // namespace flopcast
