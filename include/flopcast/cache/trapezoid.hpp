#pragma once

#include <algorithm>
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

/// Returns the number of bytes between two lines in the columns begin ... end-1.
[[nodiscard]] inline std::int64_t bytes_between(const Line& low, const Line& high, std::int64_t begin, std::int64_t end) noexcept {
  const std::int64_t columns = end - begin;
  return columns * (high.at(begin) - low.at(begin)) + (high.slope - low.slope) * (columns * (columns - 1) / 2);
}

/// Returns whether the bounding rectangles of two trapezoids share a byte.
[[nodiscard]] inline bool boxes_overlap(const Trapezoid& a, const Trapezoid& b) noexcept {
  const auto top = [](const Trapezoid& t) { return std::min(t.low.at(t.begin), t.low.at(t.end - 1)); };
  const auto bottom = [](const Trapezoid& t) { return std::max(t.high.at(t.begin), t.high.at(t.end - 1)); };
  return a.begin < b.end && b.begin < a.end && top(a) < bottom(b) && top(b) < bottom(a);
}

}  // namespace flopcast::cache
