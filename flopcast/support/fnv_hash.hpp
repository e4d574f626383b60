#pragma once

#include <cstdint>
#include <string_view>

namespace flopcast {

/// Return the FNV-1a hash of a text (Fowler, Noll and Vo); with `hash`, that of the text behind a part with this hash.
constexpr std::uint32_t fnv_hash_32(std::string_view text, std::uint32_t hash = 2166136261U) noexcept {
  for (const char c : text) {
    hash = (hash ^ static_cast<unsigned char>(c)) * 16777619U;
  }
  return hash;
}
constexpr std::uint64_t fnv_hash_64(std::string_view text, std::uint64_t hash = 14695981039346656037U) noexcept {
  for (const char c : text) {
    hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211U;
  }
  return hash;
}

}  // namespace flopcast
