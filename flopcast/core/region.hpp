#pragma once

#include <cstdint>

namespace flopcast {

/// Memory that an operand touches: `columns` runs of bytes, the j-th of them covering
/// [address + j*stride_bytes, address + j*stride_bytes + column_bytes + j*growth_bytes).
///
/// growth_bytes = 0 is a rectangle (a sub-matrix). A lower triangle of order n in a matrix with leading dimension ld has column_bytes =
/// n*e, stride_bytes = (ld+1)*e, growth_bytes = -e (e = bytes per element). An upper one has column_bytes = e, stride_bytes = ld*e,
/// growth_bytes = +e. Sizes are bytes. Runs do not overlap one another.
struct Region {
  std::uintptr_t address = 0;
  std::int64_t column_bytes = 0;
  std::int64_t columns = 0;
  std::int64_t stride_bytes = 0;
  std::int64_t growth_bytes = 0;

  /// Returns the number of bytes touched, exact (no padding between columns).
  [[nodiscard]] std::int64_t bytes() const noexcept { return columns * column_bytes + growth_bytes * (columns * (columns - 1) / 2); }
  [[nodiscard]] bool empty() const noexcept { return bytes() <= 0; }
  /// Returns the address of the first byte touched.
  [[nodiscard]] std::uintptr_t begin() const noexcept;
  /// Returns the address one past the last byte touched.
  [[nodiscard]] std::uintptr_t end() const noexcept;
  /// Returns whether at least one byte belongs to both regions; exact, in O(columns) at worst.
  [[nodiscard]] bool overlaps(const Region& other) const noexcept;
  /// Returns whether the byte at this address belongs to the region.
  [[nodiscard]] bool contains(std::uintptr_t byte) const noexcept;

  friend bool operator==(const Region&, const Region&) = default;
};

/// Returns the region of rows x columns elements of element_bytes with leading dimension ld >= rows (all in elements), column-major.
Region rectangle(std::uintptr_t address, std::int64_t rows, std::int64_t columns, std::int64_t ld, std::int64_t element_bytes);
/// Returns the region of n elements that lie `increment` elements apart; a negative increment starts at the far end, as in BLAS.
Region strided_vector(std::uintptr_t address, std::int64_t n, std::int64_t increment, std::int64_t element_bytes);
/// Returns a lower trapezoid (rows >= columns): column j has the rows j ... rows-1. `strict` leaves out the diagonal.
Region lower_trapezoid(std::uintptr_t address, std::int64_t rows, std::int64_t columns, std::int64_t ld, std::int64_t element_bytes,
                       bool strict = false);
/// Returns the cache lines that a region brings in: short runs that lie apart (a row of a matrix, a strided vector) are widened to whole
/// lines. Other regions are returned unchanged, because whole columns hardly differ from their lines. Where the lines of neighbouring runs
/// meet, the result is one run from the first line to the last.
Region whole_lines(const Region& region, std::int64_t line_bytes);
/// Returns an upper triangle of order n: column j has the rows 0 ... j. `strict` leaves out the diagonal.
Region upper_triangle(std::uintptr_t address, std::int64_t n, std::int64_t ld, std::int64_t element_bytes, bool strict = false);

}  // namespace flopcast
