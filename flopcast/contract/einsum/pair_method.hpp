#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>

#include "flopcast/contract/einsum/normal_form.hpp"
#include "flopcast/contract/einsum/sum_tiles.hpp"

namespace flopcast::contract {

/// An expression of one or two operands, as far as the choice of its method depends on it.
struct PairProblem {
  std::span<const LabelDimension> dimensions;
  std::size_t operands = 2;
  bool is_complex = false;
  std::array<bool, 2> conjugated{};  ///< the operand is conjugated and the result isn't, or the other way round; complex numbers only
  double result_elements = 1;
  bool has_tiles = false;  ///< the user asks for tiles of a plan
};

/// Work on an operand before the contraction, for which it is written to the workspace. `arrange` copies the operand in the order in which it
/// is read.
enum class Preparation : std::uint8_t { none, sum, conjugate, arrange };

/// The way in which an expression of one or two operands is computed.
struct PairMethod {
  std::array<Preparation, 2> preparations{};  ///< `sum`: over the labels that the operand alone has
  std::array<bool, 2> conjugated{};        ///< the operand is conjugated: while it is summed or copied for that, or else by the contraction
  std::optional<std::size_t> factor = {};  ///< operand that is, or is summed to, one number, which scales the result
  bool needs_blas = false;                 ///< the contraction is planned; otherwise it is a sum over the operands in place
  std::size_t first = in_a;                ///< operand that comes first in that sum
  bool flips = false;                      ///< the contraction computes the conjugate of D
  std::optional<std::size_t> leader = {};  ///< operand in whose order the contraction is computed in the workspace, to be copied to D
  friend bool operator==(const PairMethod&, const PairMethod&) = default;
};

/// Returns whether only operand `t` has a label.
bool is_of_one(const LabelDimension& dimension, std::size_t t);

/// Returns the place of one of the dimensions in arranged operand `t`; the smallest place is nearest. Dimensions of the result come first, in its
/// order, then summed ones in the order of the other operand. In dot products, all are in this order.
std::pair<bool, std::int64_t> place_of_arranged(const LabelDimension& dimension, std::span<const LabelDimension> dimensions, std::size_t t);

/// Chooses the method. Copies, transpositions, sums, elementwise products, dot products and tiny contractions need no BLAS.
PairMethod choose_method(const PairProblem& problem);

}  // namespace flopcast::contract
