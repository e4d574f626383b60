#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
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
enum class IndexRole : std::uint8_t { free_a, free_b, contracted, batch };

/// C := alpha A B + beta C with sizes and strides.
struct Contraction {
  Precision precision = Precision::d;
  Extents extents;
  std::array<Tensor, 3> tensors;  ///< index: Operand

  [[nodiscard]] const Tensor& tensor(Operand operand) const { return tensors[static_cast<std::size_t>(operand)]; }
  [[nodiscard]] std::int64_t extent(char index) const { return extents.at(index); }
  [[nodiscard]] Notation notation() const { return {tensors[0].indices, tensors[1].indices, tensors[2].indices}; }
  [[nodiscard]] IndexRole role(char index) const;
  /// Returns the indices of one role: contracted ones in the order of A, others in the order of C.
  [[nodiscard]] std::string indices(IndexRole role) const;
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

/// Contents of one of NumPy's .npy files.
struct Array {
  Precision precision = Precision::d;
  Order order = Order::row_major;
  std::vector<std::int64_t> shape;
  std::vector<std::byte> elements;
};

/// Reads the contents of a .npy file (versions 1 to 3) of little-endian float32, float64, complex64 or complex128, whatever NumPy's name
/// for the type ("<f8", "=f8", "float64"). Throws bad_input, which names `file` and the problem: no .npy file, another type of elements,
/// fewer or more bytes than the shape requires.
Array parse_npy(std::string_view contents, std::string_view file);

/// Returns the contents of a .npy file, version 1.
std::string format_npy(const Array& array);

/// The indices of one role (free in A, free in B, contracted, batch) folded into one dimension. The tables hold, for each value of the
/// dimension, the offset in elements within each tensor. A tensor without these indices has offsets of 0: one of the three tensors, except
/// for batch indices.
struct Fold {
  std::vector<std::int64_t> a, b, c;
  std::int64_t extent = 1;
  std::vector<std::int64_t> natural;  ///< lengths at which a further index of the notation begins, rising; the last one is the extent
};

/// A contraction with any indices and strides as a batch of matrix products C(m, n) := sum over k of A(m, k) B(k, n). If C is contiguous at
/// all, it is contiguous along m: A and B have changed places if `swapped`.
struct Folded {
  Precision precision = Precision::d;
  Fold m, n, k, batch;
  bool swapped = false;
  /// M in other orders, for contractions in which C and A are contiguous along different indices of M; of extent 0 if there is no need. In
  /// each of them a block of each of the two indices comes first, so that lines of C and of A are used up before the caches lose them.
  /// - interleaved begins with C's index: panels of rows are written in place, and A's are packed;
  /// - interleaved_long_a is the same with longer blocks of A's index;
  /// - a_major begins with A's index: panels are read in place, and C's rows are scattered.
  Fold interleaved = no_fold(), interleaved_long_a = no_fold(), a_major = no_fold();

  static Fold no_fold() { return {{}, {}, {}, 0, {}}; }
};

/// The order of M's rows in tiles.
enum class RowOrder : std::uint8_t { as_c, interleaved, interleaved_long_a, a_major };
inline constexpr std::array<RowOrder, 4> all_row_orders = {RowOrder::as_c, RowOrder::interleaved, RowOrder::interleaved_long_a,
                                                           RowOrder::a_major};
constexpr bool is_interleaved(RowOrder order) { return order == RowOrder::interleaved || order == RowOrder::interleaved_long_a; }
/// Returns `C`, `interleaved`, `interleavedA` or `A`.
std::string_view to_string(RowOrder order);
/// Returns the order of this name, or nothing if no order has it.
std::optional<RowOrder> row_order(std::string_view name);

/// The first dimension of the batch, which all other dimensions repeat, and the steps between its values in elements.
struct BatchRun {
  std::int64_t length = 0;
  std::int64_t step_a = 1, step_b = 1, step_c = 1;
  /// Returns whether its values are neighbours in memory in all three tensors.
  [[nodiscard]] bool is_contiguous() const { return step_a == 1 && step_b == 1 && step_c == 1; }
};
BatchRun batch_run(const Folded& folded);

/// Returns M in this order, or in C's order if `order` doesn't exist.
const Fold& rows_in(RowOrder order, const Folded& folded);

/// Folds a contraction: drops indices of size 1, fuses indices that are one index in memory, and sorts M and N by C's strides. A block of
/// the index along which B is contiguous comes first in N. K is sorted by the strides of the operand that is contiguous along K, or those of
/// the larger operand if both or none are.
Folded fold(const Contraction& contraction);

/// Returns whether A and B change places in the folded contraction.
bool is_swapped(const Contraction& contraction);

/// Returns a key of the folded contraction's sizes and strides, without irrelevant details: contractions with equal keys have equal plans.
std::string folded_key(const Contraction& contraction);

/// Returns the constant positive step between `count` offsets from `first` on, 0 if there is none, or 1 for a single offset.
std::int64_t constant_step(const std::vector<std::int64_t>& offsets, std::int64_t first, std::int64_t count);

}  // namespace flopcast::contract
