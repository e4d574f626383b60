#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace flopcast::contract {

/// A character of a text in UTF-8 and the number of its bytes.
struct CodePoint {
  char32_t value = 0;
  std::size_t bytes = 0;
};

/// Returns the character at byte `at`, which lies in the text. Returns nothing where the bytes are no UTF-8: overlong forms, surrogates and
/// numbers beyond U+10FFFF included.
std::optional<CodePoint> code_point_at(std::string_view text, std::size_t at);

/// Returns a character in UTF-8, or `U+` and its number if the character isn't visible in a message.
std::string visible(char32_t character);

/// Returns the text for messages: invisible characters as `U+` and their number, bytes that are no UTF-8 as `\xNN`.
std::string visible(std::string_view text);

/// Returns whether a character is a letter of ASCII, or a character beyond ASCII that is neither blank nor invisible.
bool is_label(char32_t character);

}  // namespace flopcast::contract
