#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "flopcast/contract/notation/expression.hpp"
#include "flopcast/core/routine.hpp"

namespace flopcast::contract {

/// The three tensors of C := A B; values are indices into arrays of three.
enum class Operand : std::uint8_t { a, b, c };
inline constexpr std::array<Operand, 3> all_operands = {Operand::a, Operand::b, Operand::c};
/// 'A', 'B' or 'C'.
char letter(Operand operand);

/// Indices of each tensor, in the order in which the notation names them.
struct Notation {
  std::string a, b, c;
  friend bool operator==(const Notation&, const Notation&) = default;
};

/// Returns whether an expression is a contraction of two tensors: every index is one letter of the alphabet, is in two tensors at least, and
/// is in none of them twice. No tensor is conjugated or has an ellipsis.
bool is_contraction(const Expression& expression);

/// Returns the indices of a contraction's tensors. Throws bad_input, which gives the reason, unless is_contraction().
Notation notation_of(const Expression& expression);

/// Reads a contraction as parse_expression() does. Throws, in addition, what notation_of() throws.
Notation parse_notation(std::string_view text);

/// `abc=ai,ibc`.
std::string to_string(const Notation& notation);

/// Number of elements along every index.
using Extents = std::map<char, std::int64_t>;

/// Order of a tensor's elements in memory unless strides are given.
enum class Order : std::uint8_t { column_major, row_major };

/// One tensor: element (i0, i1, ...) lies `strides[0] i0 + strides[1] i1 + ...` elements after its first.
struct Tensor {
  std::string indices;
  std::vector<std::int64_t> strides;

  [[nodiscard]] bool has(char index) const { return indices.find(index) != std::string::npos; }
  /// Returns the stride of `index`, 0 for an index that the tensor doesn't have.
  [[nodiscard]] std::int64_t stride(char index) const;
  friend bool operator==(const Tensor&, const Tensor&) = default;
};

/// Role of an index: free in A or B, contracted, or in all three tensors.
enum class Role : std::uint8_t { free_a, free_b, contracted, batch };

/// C := alpha A B + beta C with sizes and strides.
struct Contraction {
  Precision precision = Precision::d;
  Extents extents;
  std::array<Tensor, 3> tensors;  ///< index: Operand

  [[nodiscard]] const Tensor& tensor(Operand operand) const { return tensors[static_cast<std::size_t>(operand)]; }
  [[nodiscard]] std::int64_t extent(char index) const { return extents.at(index); }
  [[nodiscard]] Notation notation() const { return {tensors[0].indices, tensors[1].indices, tensors[2].indices}; }
  [[nodiscard]] Role role(char index) const;
  /// Returns the indices of one role: contracted ones in the order of A, others in the order of C.
  [[nodiscard]] std::string indices(Role role) const;
  /// Returns every index once: contracted ones, then those of C.
  [[nodiscard]] std::string indices() const;
  /// Returns the number of elements of a tensor.
  [[nodiscard]] std::int64_t elements(Operand operand) const;
  friend bool operator==(const Contraction&, const Contraction&) = default;
};

/// Makes a contraction of dense tensors in the given order. Throws bad_input if an extent is missing or negative, or a tensor has more
/// bytes than an address can hold.
Contraction make_contraction(const Notation& notation, const Extents& extents, Precision precision = Precision::d,
                             Order order = Order::column_major);

/// Makes a contraction of tensors with the given strides in elements, in the order of the notation's indices; an empty list means dense in
/// `order`. Throws bad_input if their number is wrong, or if two elements of C would lie at one address.
Contraction make_contraction(const Notation& notation, const Extents& extents, Precision precision, Order order,
                             const std::array<std::vector<std::int64_t>, 3>& strides);

/// Makes the contraction that an expression is. Throws, in addition, what notation_of() throws.
Contraction make_contraction(const SizedExpression& expression, const EinsumStrides& strides, Precision precision, Order order);

/// Returns the floating-point operations: a multiplication and an addition for every combination of all indices; a complex pair counts 8.
double flops(const Contraction& contraction);

}  // namespace flopcast::contract
