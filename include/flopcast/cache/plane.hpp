#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "flopcast/cache/trapezoid.hpp"

namespace flopcast::cache {

/// The last stamp of every byte of a byte matrix. The matrix is stored as vertical strips of columns, each cut by lines into intervals with one
/// stamp; strips that have become equal are joined. With blocked algorithms the strips are as coarse as the blocks, so that a visit costs
/// O(blocks) instead of O(columns). Results are exact for any accesses.
class Plane {
 public:
  using Stamp = std::int32_t;
  static constexpr Stamp never = -1;

  Plane(std::int64_t columns, std::int64_t height) : columns_(columns), top_{height, 0}, strips_{{0, {{{}, never}}}} {}

  /// Calls visit(stamp, bytes) for parts of `shape` that cover all of its bytes; a stamp may occur several times.
  template <class Visit>
  void observe(const Trapezoid& shape, Visit&& visit) const {
    if (shape.begin >= shape.end || bytes_between(shape.low, shape.high, shape.begin, shape.end) <= 0) {
      return;
    }
    for (std::size_t i = strip_at(shape.begin); i < strips_.size() && strips_[i].begin < shape.end; ++i) {
      observe(strips_[i], std::max(shape.begin, strips_[i].begin), std::min(shape.end, end(i)), shape, visit);
    }
  }

  /// Stamps all bytes of `shape` and calls replaced(stamp, bytes) for their previous stamps.
  template <class Replaced>
  void stamp(const Trapezoid& shape, Stamp stamp, Replaced&& replaced) {
    if (shape.begin >= shape.end || bytes_between(shape.low, shape.high, shape.begin, shape.end) <= 0) {
      return;
    }
    const std::size_t first = cut(shape.begin);
    if (end(first) != shape.end) {
      cut(shape.end);
    }
    std::size_t i = first;
    for (; i < strips_.size() && strips_[i].begin < shape.end; ++i) {
      if (const std::optional<std::size_t> whole = whole_interval(strips_[i], shape, stamp)) {
        Break& interval = strips_[i].breaks[*whole];
        replaced(interval.stamp, bytes_between(shape.low, shape.high, strips_[i].begin, end(i)));
        interval.stamp = stamp;
        continue;
      }
      std::optional<BreakRange> range;
      while (!(range = locate(strips_[i].breaks, shape, strips_[i].begin, end(i)))) {
        cut((strips_[i].begin + end(i)) / 2);
      }
      visit_range(strips_[i], *range, strips_[i].begin, end(i), shape, replaced);
      replace(strips_[i], *range, end(i), shape, stamp);
    }
    join(first, i);
  }

  /// Returns the number of strips, a measure of fragmentation.
  [[nodiscard]] std::size_t strips() const noexcept { return strips_.size(); }

 private:
  /// The begin of an interval: all bytes from `line` to the line of the next break, or to the last row, have `stamp`.
  struct Break {
    Line line;
    Stamp stamp = never;
    friend bool operator==(const Break&, const Break&) = default;
  };
  /// The columns from begin to the next strip's begin. In each of them the breaks are sorted; the first is row 0.
  struct Strip {
    std::int64_t begin = 0;
    std::vector<Break> breaks;
    std::size_t latest = 0;  // break at which the last shape was found; the next shape is often found there or one break later
  };
  /// breaks[0 ... low) lie at or before a shape's low line, breaks[high ...) at or after its high line, the others between.
  struct BreakRange {
    std::size_t low = 0, high = 0;
  };

  [[nodiscard]] std::int64_t end(std::size_t i) const noexcept { return i + 1 < strips_.size() ? strips_[i + 1].begin : columns_; }
  [[nodiscard]] std::size_t strip_at(std::int64_t column) const noexcept;
  /// Cuts a strip so that one begins at `column` and returns its index.
  std::size_t cut(std::int64_t column);
  /// Joins equal neighbours among the strips first-1 ... last.
  void join(std::size_t first, std::size_t last);
  /// Returns the break that begins an interval with exactly the lines of the shape, if that break is near the last one found. Returns
  /// nothing if a neighbouring interval has `stamp`, so that adjacent intervals never share a stamp.
  [[nodiscard]] std::optional<std::size_t> whole_interval(Strip& strip, const Trapezoid& shape, Stamp stamp) const noexcept;
  /// Returns an empty range if a line of the shape crosses a break in the columns begin ... end-1.
  static std::optional<BreakRange> locate(const std::vector<Break>& breaks, const Trapezoid& shape, std::int64_t begin,
                                          std::int64_t end) noexcept;
  void replace(Strip& strip, const BreakRange& range, std::int64_t end, const Trapezoid& shape, Stamp stamp) const;

  template <class Visit>
  static void visit_range(const Strip& strip, const BreakRange& range, std::int64_t begin, std::int64_t end, const Trapezoid& shape,
                          Visit& visit) {
    for (std::size_t k = range.low - 1; k < range.high; ++k) {
      const Line& low = k + 1 == range.low ? shape.low : strip.breaks[k].line;
      const Line& high = k + 1 == range.high ? shape.high : strip.breaks[k + 1].line;
      if (const std::int64_t bytes = bytes_between(low, high, begin, end); bytes > 0) {
        visit(strip.breaks[k].stamp, bytes);
      }
    }
  }

  template <class Visit>
  static void observe(const Strip& strip, std::int64_t begin, std::int64_t end, const Trapezoid& shape, Visit& visit) {
    if (const std::optional<BreakRange> range = locate(strip.breaks, shape, begin, end)) {
      visit_range(strip, *range, begin, end, shape, visit);
      return;
    }
    const std::int64_t middle = (begin + end) / 2;
    observe(strip, begin, middle, shape, visit);
    observe(strip, middle, end, shape, visit);
  }

  std::int64_t columns_;
  Line top_;
  std::vector<Strip> strips_;
};

}  // namespace flopcast::cache
