#pragma once

#include <cstdint>

namespace flopcast::cache {

/// A straight line across the columns of a byte matrix: the row at column c is intercept + slope * c, in bytes.
struct Line {
  std::int64_t intercept = 0;
  std::int64_t slope = 0;

  [[nodiscard]] std::int64_t at(std::int64_t column) const noexcept { return intercept + slope * column; }
  friend bool operator==(const Line&, const Line&) = default;
};

/// The rows low(c) ... high(c)-1 of the columns begin ... end-1; low(c) <= high(c) in all of them. A rectangle has two flat lines, a
/// triangle one that falls by one element per column.
struct Trapezoid {
  std::int64_t begin = 0, end = 0;
  Line low, high;
};

/// Bytes between two lines in the columns begin ... end-1.
[[nodiscard]] inline std::int64_t bytes_between(const Line& low, const Line& high, std::int64_t begin, std::int64_t end) noexcept {
  const std::int64_t columns = end - begin;
  return columns * (high.at(begin) - low.at(begin)) + (high.slope - low.slope) * (columns * (columns - 1) / 2);
}

}  // namespace flopcast::cache
