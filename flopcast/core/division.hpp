#pragma once

#include <concepts>

namespace flopcast {

/// value / divisor, rounded up; for value >= 0 and divisor > 0.
template <std::integral Integer>
constexpr Integer ceil_div(Integer value, Integer divisor) {
  return (value + divisor - 1) / divisor;
}

/// The least multiple that isn't below `value`; for value >= 0 and multiple > 0.
template <std::integral Integer>
constexpr Integer round_up(Integer value, Integer multiple) {
  return ceil_div(value, multiple) * multiple;
}

}  // namespace flopcast
