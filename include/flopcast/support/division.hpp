#pragma once

#include <concepts>
#include <cstdint>
#include <type_traits>

namespace flopcast {

/// Bytes of a line of the caches of x86-64 and of nearly all ARM64 processors.
inline constexpr std::int64_t cache_line_bytes = 64;

/// Returns value / divisor, rounded up; value >= 0 and divisor > 0.
template <std::integral Integer>
constexpr Integer ceil_div(Integer value, std::type_identity_t<Integer> divisor) {
  return (value + divisor - 1) / divisor;
}

/// Returns the least multiple of `multiple` that is at least `value`; value >= 0 and multiple > 0.
template <std::integral Integer>
constexpr Integer round_up(Integer value, std::type_identity_t<Integer> multiple) {
  return ceil_div(value, multiple) * multiple;
}

}  // namespace flopcast
