#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace flopcast::preload {

/// Returns the visible characters at the beginning of a text that Fortran passes with a hidden length. Programs in C often call LAPACK
/// without hidden lengths, and the parameter then holds whatever was in its place. A length of 0 or beyond `max_length` is no length: the
/// text then ends at a blank, a zero or after `max_length` characters. A null pointer is an empty text.
inline std::string_view fortran_text(const char* text, std::size_t hidden_length, std::size_t max_length) noexcept {
  const std::uint32_t length =
      static_cast<std::uint32_t>(hidden_length);  // some compilers pass 32 bits, and leave the upper half as it was
  const std::size_t limit = length >= 1 && length <= max_length ? length : max_length;
  std::size_t count = 0;
  while (text != nullptr && count < limit && text[count] > ' ' && text[count] <= '~') {
    ++count;
  }
  return {text, count};
}

}  // namespace flopcast::preload
