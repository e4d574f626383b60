#include "flopcast/cache/plane.hpp"

#include <algorithm>
#include <array>

namespace flopcast::cache {

std::size_t Plane::strip_at(std::int64_t column) const noexcept {
  const auto after =
      std::upper_bound(strips_.begin(), strips_.end(), column, [](std::int64_t c, const Strip& strip) { return c < strip.begin; });
  return static_cast<std::size_t>(after - strips_.begin()) - 1;
}

std::size_t Plane::cut(std::int64_t column) {
  if (column >= columns_) {
    return strips_.size();
  }
  const std::size_t i = strip_at(column);
  if (strips_[i].begin == column) {
    return i;
  }
  Strip right{column, strips_[i].breaks, strips_[i].latest};
  strips_.insert(strips_.begin() + static_cast<std::ptrdiff_t>(i) + 1, std::move(right));
  return i + 1;
}

void Plane::join(std::size_t first, std::size_t last) {
  first = std::max<std::size_t>(first, 1);
  last = std::min(last + 1, strips_.size());
  std::size_t kept = first;  // strips_[first-1 ... kept) are done
  for (std::size_t i = first; i < last; ++i) {
    if (strips_[i].breaks == strips_[kept - 1].breaks) {
      continue;
    }
    if (kept != i) {
      strips_[kept] = std::move(strips_[i]);
    }
    ++kept;
  }
  strips_.erase(strips_.begin() + static_cast<std::ptrdiff_t>(kept), strips_.begin() + static_cast<std::ptrdiff_t>(std::max(kept, last)));
}

std::optional<std::size_t> Plane::whole_interval(Strip& strip, const Trapezoid& shape, Stamp stamp) const noexcept {
  const std::vector<Break>& breaks = strip.breaks;
  const std::size_t last = std::min(strip.latest + 2, breaks.size());
  for (std::size_t k = strip.latest; k < last; ++k) {
    if (breaks[k].line == shape.low && (k + 1 < breaks.size() ? breaks[k + 1].line : top_) == shape.high) {
      strip.latest = k;
      const bool joins = (k > 0 && breaks[k - 1].stamp == stamp) || (k + 1 < breaks.size() && breaks[k + 1].stamp == stamp);
      return joins ? std::nullopt : std::optional(k);
    }
  }
  return std::nullopt;
}

std::optional<Plane::BreakRange> Plane::locate(const std::vector<Break>& breaks, const Trapezoid& shape, std::int64_t begin,
                                               std::int64_t end) noexcept {
  // Lines that have the same order at the first and the last column have that order in between. A break that merely touches a line of the
  // shape at one of the two columns may be put on either side. Therefore the order is searched at the first column and corrected at the
  // last.
  const std::int64_t last = end - 1;
  const std::int64_t low_begin = shape.low.at(begin), low_last = shape.low.at(last);
  const std::int64_t high_begin = shape.high.at(begin), high_last = shape.high.at(last);

  const auto after_low = std::partition_point(breaks.begin(), breaks.end(), [&](const Break& b) { return b.line.at(begin) <= low_begin; });
  auto low = static_cast<std::size_t>(after_low - breaks.begin());
  while (breaks[low - 1].line.at(last) > low_last) {
    if (breaks[--low].line.at(begin) < low_begin) {
      return std::nullopt;
    }
  }
  if (low < breaks.size() && breaks[low].line.at(last) < low_last) {
    return std::nullopt;
  }

  const auto from_high = std::partition_point(breaks.begin() + static_cast<std::ptrdiff_t>(low), breaks.end(),
                                              [&](const Break& b) { return b.line.at(begin) < high_begin; });
  auto high = static_cast<std::size_t>(from_high - breaks.begin());
  while (high < breaks.size() && breaks[high].line.at(last) < high_last) {
    if (breaks[high++].line.at(begin) > high_begin) {
      return std::nullopt;
    }
  }
  if (breaks[high - 1].line.at(last) > high_last) {
    return std::nullopt;
  }
  return BreakRange{low, high};
}

void Plane::replace(Strip& strip, const BreakRange& range, std::int64_t end, const Trapezoid& shape, Stamp stamp) const {
  const auto same = [&](const Line& a, const Line& b) { return a.at(strip.begin) == b.at(strip.begin) && a.at(end - 1) == b.at(end - 1); };
  if (same(shape.low, shape.high)) {  // the tip of a triangle
    return;
  }
  std::vector<Break>& breaks = strip.breaks;
  const Stamp rest = breaks[range.high - 1].stamp;  // stamp between the shape and the next break
  const bool has_rest = !same(shape.high, range.high < breaks.size() ? breaks[range.high].line : top_);
  const std::size_t from = same(breaks[range.low - 1].line, shape.low) ? range.low - 1 : range.low;
  strip.latest = from;
  std::size_t to = range.high;

  std::array<Break, 2> fresh;
  std::size_t count = 0;
  if (from == 0 || breaks[from - 1].stamp != stamp) {
    fresh[count++] = {from == 0 ? Line{} : shape.low, stamp};
  }
  if (has_rest && rest != stamp) {
    fresh[count++] = {shape.high, rest};
  } else if (!has_rest && to < breaks.size() && breaks[to].stamp == stamp) {
    ++to;
  }
  const std::size_t reused = std::min(count, to - from);
  const auto at = std::copy_n(fresh.begin(), reused, breaks.begin() + static_cast<std::ptrdiff_t>(from));
  if (reused < count) {
    breaks.insert(at, fresh.begin() + static_cast<std::ptrdiff_t>(reused), fresh.begin() + static_cast<std::ptrdiff_t>(count));
  } else {
    breaks.erase(at, breaks.begin() + static_cast<std::ptrdiff_t>(to));
  }
}

}  // namespace flopcast::cache
