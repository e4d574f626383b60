#pragma once

#include <array>
#include <complex>
#include <cstdint>
#include <span>
#include <string>

#include "flopcast/core/routine.hpp"
#include "flopcast/support/inline_vector.hpp"

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

/// One call of a routine: a plain value of all its arguments, with addresses in place of data.
///
/// arguments[i] is argument i of the interface: the character of a flag (upper case), the value of an integer, the address
/// of an operand, or the index into `scalars` of a scalar. An address of 0 means "not given"; the sampler then places it.
struct Call {
  static constexpr std::size_t max_arguments = 23;

  const Routine* routine = nullptr;
  std::array<std::int64_t, max_arguments> arguments{};
  std::array<std::complex<double>, 3> scalars{};
  std::int32_t threads = 1;
  std::int32_t integer_bytes = 4;  ///< bytes per element of integer arrays (pivots, iwork): 8 where the library's integers have 64 bits

  [[nodiscard]] std::span<const std::int64_t> values() const noexcept { return arguments; }
  [[nodiscard]] char flag(std::size_t i) const noexcept { return static_cast<char>(arguments[i]); }
  [[nodiscard]] std::uintptr_t address(std::size_t i) const noexcept { return static_cast<std::uintptr_t>(arguments[i]); }

  friend bool operator==(const Call&, const Call&) = default;
};

/// Memory that one data, work or pivots argument of a call touches.
struct Operand {
  std::uint8_t argument = 0;  ///< index into Routine::arguments
  Access access = Access::read;
  InlineVector<Region, 3> parts;  ///< disjoint regions: one for most forms, several for bands and trapezoids, none if nothing is touched

  [[nodiscard]] std::int64_t bytes() const noexcept {
    std::int64_t sum = 0;
    for (const Region& part : parts) {
      sum += part.bytes();
    }
    return sum;
  }
};

/// Maximum number of operands of a routine (geevx: A, wr, wi, VL, VR, ilo, ihi, scale, abnrm, rconde, rcondv, work, iwork).
inline constexpr std::size_t max_operands = 13;
using Operands = InlineVector<Operand, max_operands>;

/// Returns whether the argument is an operand: an array of data, work space or pivots.
bool is_operand(const Argument& argument);

/// Returns the footprint of every operand, in the order of the interface; exact for triangles and sub-matrices.
Operands operands(const Call& call);
/// Returns the number of distinct bytes of all operands together (operands of one call are taken as disjoint).
std::int64_t footprint_bytes(const Call& call);
/// Returns the number of real floating-point operations; a complex multiplication counts 6, a complex addition 2 (LAPACK working note 41).
double flops(const Call& call);
/// Returns the integer arguments of kind size, in the order of the interface: the variables of a model.
InlineVector<std::int64_t, 6> sizes(const Call& call);
/// Returns the flags (and signs as '+', '-' or a digit) in the order of the interface, e.g. "LLNU".
std::string flags(const Call& call);
/// Extent in elements that argument i needs from its address on, columns times leading dimension; for allocation.
std::int64_t span_elements(const Call& call, std::size_t i);
/// Maximum span of an operand: 1 TiB.
inline constexpr std::int64_t max_operand_bytes = std::int64_t{1} << 40;
/// Returns the reason why no library can have executed the call: a flag that is no letter, a negative size, a leading dimension by which
/// columns overlap, or an operand beyond max_operand_bytes. Returns an empty text if there is none of these; then operands and all values derived
/// from them are in range.
std::string fault_of(const Call& call);
/// Returns true if data, work or pivots argument i consists of integers.
bool has_integers(const Argument& argument);
/// Bytes per element of data, work or pivots argument i.
std::int64_t argument_element_bytes(const Call& call, std::size_t i);
/// `dgemm(N, T, 100, 100, 64, -1, 0x..., 104, ...)`, for messages.
std::string to_string(const Call& call);

}  // namespace flopcast
