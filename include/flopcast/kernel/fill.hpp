#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

#include "flopcast/core/call.hpp"
#include "flopcast/kernel/invoke.hpp"

namespace flopcast::kernel {

/// The numbers that fill() writes into an operand that isn't pivots: random ones, and others on the diagonal of a matrix or in every element
/// of a vector. These are the elements first + i*step + growth*i*(i-1)/2 after the operand's address, for 0 <= i < count.
struct FillPattern {
  double scale = 1;        ///< largest absolute value of the random numbers
  double value = 0;        ///< value of the other elements
  double increase = 0;     ///< difference between the values of neighbouring integers, whose first one is `value`
  std::int64_t count = 0;  ///< 0: there are none
  std::int64_t first = 0, step = 0, growth = 0;
  std::int64_t row_step = 0;  ///< other than 0: the value of column i stands in row (i+1)*row_step modulo `count` instead of row i
  char other = 0;             ///< L or U: the elements below or above the diagonal have `other_value`; 0: they are random, too
  double other_value = 0;
};

/// Returns what fill() writes into an operand of `call`.
FillPattern fill_pattern(const Call& call, const Operand& operand);

/// Writes values that are safe for timing `call` into the operands that it reads or updates, at the real addresses in the call; operands
/// without address are skipped. Random numbers contain no zeros or denormals, triangles are well-conditioned, matrices definite, pivots in
/// range, and reflectors consistent with tau. Deterministic in `seed`. Writes only the operands' footprints.
void fill(const Call& call, std::uint64_t seed);
/// Does the same with other patterns than those of fill_pattern().
using PatternOf = std::function<FillPattern(const Call&, const Operand&)>;
void fill(const Call& call, std::uint64_t seed, const PatternOf& pattern_of);
/// Returns the seed of the random numbers of argument number `argument`, where fill() is called with `seed`.
constexpr std::uint64_t operand_seed(std::uint64_t seed, std::size_t argument) { return seed * 31 + std::uint64_t{977} * argument; }

/// Writes the outputs that the caller of a skipped call needs to go on. They are info = 0, identity pivots, the outputs that steer control
/// flow, and a sufficient size for a query of the work space (lwork = -1). The result of a function is 1, or 0 as an index into an empty
/// vector. Operands with address 0 are skipped.
Outcome skip(const Call& call);

/// Returns whether the control flow of a program may depend on the routine's result: a value that it returns, or pivots. Such a routine
/// can't be skipped.
bool decides(const Routine& routine) noexcept;

/// Returns whether the routine's amount of work depends on its data and is mostly in loops of its own: eigenvalues, singular values.
bool iterates(const Routine& routine) noexcept;

}  // namespace flopcast::kernel
