#include "flopcast/contract/notation/utf8.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace flopcast::contract {
namespace {

/// The first bytes of characters of 1, 2, 3 and 4 bytes.
struct Lead {
  unsigned mask = 0, bits = 0;  ///< a first byte has these bits under this mask
  char32_t least = 0;           ///< smallest character that needs so many bytes
};
constexpr std::array<Lead, 4> leads = {{{0x80, 0x00, 0}, {0xe0, 0xc0, 0x80}, {0xf0, 0xe0, 0x800}, {0xf8, 0xf0, 0x10000}}};

struct CodeRange {
  char32_t first = 0, last = 0;
};

/// Characters beyond ASCII that are blank or that nobody sees: controls, spaces, marks of direction and order, variation selectors, private
/// use at the end of planes.
constexpr std::array<CodeRange, 12> unseen = {{{0x7f, 0xa0},
                                               {0xad, 0xad},
                                               {0x034f, 0x034f},
                                               {0x061c, 0x061c},
                                               {0x1680, 0x1680},
                                               {0x180b, 0x180e},
                                               {0x2000, 0x200f},
                                               {0x2028, 0x202f},
                                               {0x205f, 0x206f},
                                               {0x3000, 0x3000},
                                               {0xfe00, 0xfe0f},
                                               {0xfeff, 0xfeff}}};

bool is_unseen(char32_t character) {
  return std::any_of(unseen.begin(), unseen.end(),
                     [&](const CodeRange& range) { return character >= range.first && character <= range.last; });
}

std::string in_utf8(char32_t character) {
  const auto value = static_cast<unsigned>(character);
  std::size_t bytes = 1;
  while (bytes < leads.size() && value >= static_cast<unsigned>(leads[bytes].least)) {
    ++bytes;
  }
  std::string text(bytes, '\0');
  unsigned rest = value;
  for (std::size_t i = bytes; i-- > 1; rest >>= 6) {
    text[i] = static_cast<char>(0x80U | (rest & 0x3fU));
  }
  text[0] = static_cast<char>(leads[bytes - 1].bits | rest);
  return text;
}

}  // namespace

std::optional<CodePoint> code_point_at(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned>(static_cast<unsigned char>(text[i])); };
  const unsigned first = byte(at);
  for (std::size_t bytes = 1; bytes <= leads.size(); ++bytes) {
    const Lead& lead = leads[bytes - 1];
    if ((first & lead.mask) != lead.bits) {
      continue;
    }
    auto value = static_cast<char32_t>(first & ~lead.mask);
    for (std::size_t i = 1; i < bytes; ++i) {
      if (at + i >= text.size() || (byte(at + i) & 0xc0U) != 0x80U) {
        return std::nullopt;
      }
      value = (value << 6U) | static_cast<char32_t>(byte(at + i) & 0x3fU);
    }
    const bool is_surrogate = value >= 0xd800 && value <= 0xdfff;
    return value < lead.least || is_surrogate || value > 0x10ffff ? std::nullopt : std::optional(CodePoint{value, bytes});
  }
  return std::nullopt;
}

std::string visible(char32_t character) {
  return character < 0x20 || is_unseen(character) ? fmt::format("U+{:04X}", static_cast<unsigned>(character)) : in_utf8(character);
}

std::string visible(std::string_view text) {
  std::string shown;
  for (std::size_t at = 0; at < text.size();) {
    const std::optional<CodePoint> next = code_point_at(text, at);
    shown += next ? visible(next->value) : fmt::format("\\x{:02x}", static_cast<unsigned char>(text[at]));
    at += next ? next->bytes : 1;
  }
  return shown;
}

bool is_label(char32_t character) {
  const bool is_letter = (character >= U'a' && character <= U'z') || (character >= U'A' && character <= U'Z');
  return is_letter || (character > 0x7f && !is_unseen(character) && (character & 0xfffeU) != 0xfffeU);
}

}  // namespace flopcast::contract
