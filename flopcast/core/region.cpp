#include "flopcast/core/call.hpp"

#include <algorithm>

#include "flopcast/support/division.hpp"

namespace flopcast {
namespace {

/// Returns whether a column of `region` meets the bytes [from, to), which count from the region's start.
bool meets_run(const Region& region, std::int64_t from, std::int64_t to) noexcept {
  if (region.columns == 1 || region.stride_bytes <= 0) {
    return from < region.column_bytes && to > 0;
  }
  // The run meets column c if c*stride < to and from < c*stride + length(c). Column starts grow with c, so only the columns whose slot
  // [c*stride, (c+1)*stride) meets the run matter.
  const std::int64_t first = std::max<std::int64_t>(0, from >= 0 ? from / region.stride_bytes : 0);
  const std::int64_t last = to > 0 ? std::min(region.columns - 1, (to - 1) / region.stride_bytes) : -1;
  for (std::int64_t c = first; c <= last; ++c) {
    const std::int64_t start = c * region.stride_bytes;
    if (start < to && from < start + region.column_bytes + c * region.growth_bytes) {
      return true;
    }
  }
  return false;
}

}  // namespace

std::uintptr_t Region::begin() const noexcept {
  if (columns > 0 && column_bytes == 0 && growth_bytes > 0) {
    return address + static_cast<std::uintptr_t>(stride_bytes);  // the first column of a strict upper triangle is empty
  }
  return address;
}

std::uintptr_t Region::end() const noexcept {
  if (empty()) {
    return address;
  }
  const std::int64_t last = columns - 1;
  // Column ends grow by stride + growth per column; they are largest at one of the two ends.
  const std::int64_t first_end = column_bytes;
  const std::int64_t last_end = last * stride_bytes + column_bytes + last * growth_bytes;
  return address + static_cast<std::uintptr_t>(std::max(first_end, last_end));
}

bool Region::contains(std::uintptr_t byte) const noexcept { return overlaps({byte, 1, 1, 1, 0}); }

bool Region::overlaps(const Region& other) const noexcept {
  if (empty() || other.empty() || begin() >= other.end() || other.begin() >= end()) {
    return false;
  }
  const Region& outer = columns <= other.columns ? *this : other;
  const Region& inner = columns <= other.columns ? other : *this;
  for (std::int64_t j = 0; j < outer.columns; ++j) {
    const auto from = static_cast<std::int64_t>(outer.address - inner.address) + j * outer.stride_bytes;
    const std::int64_t to = from + outer.column_bytes + j * outer.growth_bytes;
    if (to <= from) {
      continue;
    }
    if (meets_run(inner, from, to)) {
      return true;
    }
  }
  return false;
}

Region rectangle(std::uintptr_t address, std::int64_t rows, std::int64_t columns, std::int64_t ld, std::int64_t element_bytes) {
  if (rows <= 0 || columns <= 0) {
    return {address, 0, 0, 0, 0};
  }
  if (ld == rows || columns == 1) {
    return {address, rows * columns * element_bytes, 1, rows * columns * element_bytes, 0};
  }
  return {address, rows * element_bytes, columns, ld * element_bytes, 0};
}

Region strided_vector(std::uintptr_t address, std::int64_t n, std::int64_t increment, std::int64_t element_bytes) {
  if (n <= 0) {
    return {address, 0, 0, 0, 0};
  }
  const std::int64_t step = increment < 0 ? -increment : increment;
  if (step == 1) {
    return {address, n * element_bytes, 1, n * element_bytes, 0};
  }
  if (step == 0) {
    return {address, element_bytes, 1, element_bytes, 0};
  }
  return {address, element_bytes, n, step * element_bytes, 0};
}

Region lower_trapezoid(std::uintptr_t address, std::int64_t rows, std::int64_t columns, std::int64_t ld, std::int64_t element_bytes,
                       bool strict) {
  columns = std::min(columns, strict ? rows - 1 : rows);
  if (columns <= 0) {
    return {address, 0, 0, 0, 0};
  }
  const std::int64_t skipped = strict ? 1 : 0;
  return {address + static_cast<std::uintptr_t>(skipped * element_bytes), (rows - skipped) * element_bytes, columns,
          (ld + 1) * element_bytes, -element_bytes};
}

Region whole_lines(const Region& region, std::int64_t line_bytes) {
  if (region.empty() || region.columns <= 1 || region.growth_bytes != 0 || region.column_bytes >= line_bytes) {
    return region;
  }
  const auto line = static_cast<std::uintptr_t>(line_bytes);
  const std::uintptr_t first = region.address / line * line;
  const auto width = static_cast<std::int64_t>(round_up(region.address - first + static_cast<std::uintptr_t>(region.column_bytes), line));
  if (width < region.stride_bytes) {
    return {first, width, region.columns, region.stride_bytes, 0};
  }
  const auto all = static_cast<std::int64_t>(round_up(region.end() - first, line));
  return {first, all, 1, all, 0};
}

Region upper_triangle(std::uintptr_t address, std::int64_t n, std::int64_t ld, std::int64_t element_bytes, bool strict) {
  if (n <= (strict ? 1 : 0)) {
    return {address, 0, 0, 0, 0};
  }
  if (strict) {
    return {address + static_cast<std::uintptr_t>(ld * element_bytes), element_bytes, n - 1, ld * element_bytes, element_bytes};
  }
  return {address, element_bytes, n, ld * element_bytes, element_bytes};
}

}  // namespace flopcast
