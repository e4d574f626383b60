#pragma once

#include <concepts>

namespace flopcast {

/// Returns value / divisor, rounded up; value >= 0 and divisor > 0.
template <std::integral Integer>
constexpr Integer ceil_div(Integer value, Integer divisor) {
  return (value + divisor - 1) / divisor;
}

/// Returns the least multiple of `multiple` that is at least `value`; value >= 0 and multiple > 0.
template <std::integral Integer>
constexpr Integer round_up(Integer value, Integer multiple) {
  return ceil_div(value, multiple) * multiple;
}

}  // namespace flopcast
