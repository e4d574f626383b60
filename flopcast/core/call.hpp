#pragma once

#include <array>
#include <complex>
#include <cstdint>
#include <span>
#include <string>

#include "flopcast/core/region.hpp"
#include "flopcast/core/routine.hpp"
#include "flopcast/support/inline_vector.hpp"

namespace flopcast {

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
