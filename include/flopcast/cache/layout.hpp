#pragma once

#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "flopcast/cache/footprints.hpp"
#include "flopcast/cache/trapezoid.hpp"
#include "flopcast/core/call.hpp"
#include "flopcast/core/trace.hpp"
#include "flopcast/support/division.hpp"

namespace flopcast::cache {

/// A contiguous part of memory seen as a matrix of bytes: byte (row, column) lies at begin + column * height + row. If `height` is the leading
/// dimension of the matrix stored there, sub-matrices are rectangles and triangles are trapezoids.
struct Space {
  std::uintptr_t begin = 0, end = 0;
  std::int64_t height = 1;

  [[nodiscard]] std::int64_t columns() const noexcept { return ceil_div(static_cast<std::int64_t>(end - begin), height); }
};

/// Returns disjoint spaces, sorted by address, that contain the allocations and all footprints outside of them. The height of a space is the
/// leading dimension that addresses most of its columns, or the size of the space if all footprints are contiguous.
std::vector<Space> spaces(std::span<const Allocation> allocations, const Footprints& footprints);

/// Returns the index of the space that contains `address`; one must.
std::size_t space_of(const std::vector<Space>& spaces, std::uintptr_t address) noexcept;

/// Cuts a region of `space` into trapezoids. A sub-matrix or triangle with the space's leading dimension gives one, or two if its columns
/// straddle those of the space. Any other stride gives up to three per column. More than 65536 columns of another stride count as one run
/// with everything between them. These cases exclude each other: the reason why this is one function.
template <class Visit>
void for_each_trapezoid(const Region& region, const Space& space, Visit&& visit) {
  if (region.columns <= 0) {
    return;
  }
  const std::int64_t height = space.height;
  const auto offset = static_cast<std::int64_t>(region.address - space.begin);
  const std::int64_t first = offset / height;
  const std::int64_t last = first + region.columns - 1;
  const bool is_column = region.columns == 1;
  const std::int64_t slope = is_column ? 0 : region.stride_bytes - height, growth = is_column ? 0 : region.growth_bytes;
  constexpr double steepest = 1e18;  // lines of columns that lie farther apart don't fit 64 bits
  const bool is_steep =
      (std::abs(static_cast<double>(slope)) + std::abs(static_cast<double>(growth))) * static_cast<double>(last + 1) > steepest;
  const Line low = is_steep ? Line{} : Line{offset - first * height - slope * first, slope};
  const Line high = is_steep ? Line{} : Line{low.intercept + region.column_bytes - growth * first, slope + growth};
  const auto within = [&](const Line& line, std::int64_t from, std::int64_t to) {
    return line.at(first) >= from && line.at(first) <= to && line.at(last) >= from && line.at(last) <= to;
  };
  const bool ordered = !is_steep && high.at(first) >= low.at(first) && high.at(last) >= low.at(last);
  if (ordered && within(low, 0, height) && within(high, 0, height)) {
    visit(Trapezoid{first, last + 1, low, high});
  } else if (ordered && within(low, 0, height) && within(high, height, 2 * height)) {
    visit(Trapezoid{first, last + 1, low, {height, 0}});
    visit(Trapezoid{first + 1, last + 2, {}, {high.intercept - height - high.slope, high.slope}});
  } else if (region.columns > 1) {
    constexpr std::int64_t max_apart = 1 << 16;
    if (region.columns > max_apart) {  // beyond all caches in any case: counted as one run, with everything between
      const auto bytes = static_cast<std::int64_t>(region.end() - region.begin());
      for_each_trapezoid({region.begin(), bytes, 1, bytes, 0}, space, visit);
      return;
    }
    const std::int64_t half = region.columns / 2;
    Region part = region;
    part.columns = half;
    for_each_trapezoid(part, space, visit);
    part.address += static_cast<std::uintptr_t>(half * region.stride_bytes);
    part.column_bytes += half * region.growth_bytes;
    part.columns = region.columns - half;
    for_each_trapezoid(part, space, visit);
  } else if (ordered) {  // one run over several columns of the space: the end of a column, whole columns, the start of a column
    const std::int64_t stop = offset + region.column_bytes;
    const std::int64_t whole_begin = ceil_div(offset, height);
    const std::int64_t whole_end = stop / height;
    visit(Trapezoid{first, whole_begin, {offset - first * height, 0}, {height, 0}});
    visit(Trapezoid{whole_begin, whole_end, {}, {height, 0}});
    visit(Trapezoid{whole_end, whole_end + 1, {}, {stop - whole_end * height, 0}});
  }
}

}  // namespace flopcast::cache
