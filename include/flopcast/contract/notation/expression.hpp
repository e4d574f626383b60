#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// Einstein summation of any number of operands: NumPy's rules, with conjugated operands, repeated labels in the result, and labels without
/// limit of number.
namespace flopcast::contract {

/// Name of an index: the code point of its character in a text, or any integer in an expression made of integers.
using Label = std::int64_t;

/// Labels of one tensor, in the order of its axes.
struct Subscripts {
  std::vector<Label> labels;                 ///< without the ellipsis
  std::optional<std::size_t> ellipsis = {};  ///< number of labels before `...`, which stands for any number of axes; if missing, for none
  bool conjugated = false;                   ///< the tensor's complex conjugate is meant; no effect on real numbers
  friend bool operator==(const Subscripts&, const Subscripts&) = default;
};

/// A sum of products of `operands` over all labels that `result` lacks.
///
/// A label that an operand repeats takes the operand's diagonal. A label that the result repeats writes the result's diagonal, and all other
/// elements of the result get no product. A conjugated result is the complex conjugate of the sum.
struct Expression {
  std::vector<Subscripts> operands;  ///< one or more
  Subscripts result;
  bool has_letters = false;  ///< the labels are Unicode characters, and appear so in messages
  friend bool operator==(const Expression&, const Expression&) = default;
};

/// Reads an expression of one or more operands in one of three notations:
/// - einsum's: `ai,ibc->abc`, or `ai,ib` without a result;
/// - with the result first: `abc=ai,ibc`;
/// - of formulae: `C_abc := A_ai B_ibc` or `C_{abc} = A_{ai} * B_{ibc}`. The `*` may be left out where a factor with subscripts follows.
///
/// A label is a letter, or a Unicode character beyond ASCII that is neither blank nor invisible. `...` stands for the axes without label.
/// `conj(ki)` or `conj(A_ki)` is a conjugated operand. Blanks mean nothing. A missing result has the axes of `...` and, in the order of code
/// points, every label that occurs once.
/// Throws bad_input, which names the operand, the label, its position and what was expected.
Expression parse_expression(std::string_view text);

/// An expression with the names of its tensors.
struct NamedExpression {
  Expression expression;
  std::vector<std::string> operands;  ///< names of the operands
  std::string result;
};

/// Reads an expression as parse_expression() does. Names are the letters of a formula: T, V and W of `W_abij := V_abcd T_cdij`. In the other
/// notations, operands are A, B and so on, and the result has the letter behind them: C for two operands. Throws bad_input, in addition, for
/// more than 25 operands without names.
NamedExpression parse_named_expression(std::string_view text);

/// Makes an expression of integer labels, in the manner of NumPy's sublists. A missing `result` has the axes of the ellipsis and, in rising
/// order, every label that occurs once. Throws bad_input if there is no operand, an ellipsis stands behind the last label, or a label of
/// the result is in no operand.
Expression make_expression(std::vector<Subscripts> operands, std::optional<Subscripts> result = std::nullopt);

/// Returns the expression in einsum's notation, such as `ai,conj(ibc)->abc`; integer labels are numbers between brackets, `[0 12],[12]->[0]`.
std::string to_string(const Expression& expression);

/// An expression whose operands have shapes. Every axis has a label: the axes of the ellipsis have labels below all others, and the axis
/// furthest to the right has the largest of these.
struct SizedExpression {
  std::vector<Subscripts> operands;               ///< without ellipsis
  Subscripts result;                              ///< without ellipsis
  std::vector<std::vector<std::int64_t>> shapes;  ///< shapes of the operands: an axis of size 1 is repeated where its label is longer
  std::map<Label, std::int64_t> extents;          ///< numbers of values of all labels
  Expression expression;                          ///< the expression as written, for messages

  [[nodiscard]] std::int64_t extent(Label label) const { return extents.at(label); }
  [[nodiscard]] std::vector<std::int64_t> result_shape() const;
};

/// Gives the operands shapes. Axes of size 1 are repeated to the size that their label has in other operands; the axes of ellipses are matched
/// from the right. Throws bad_input, which names the operand, the label and both sizes, if sizes of one label differ or the number of shapes or
/// axes is wrong. Throws bad_input, too, if the result has no ellipsis for the axes of the operands' ellipses.
SizedExpression with_shapes(const Expression& expression, std::span<const std::vector<std::int64_t>> shapes);

/// Gives every label a size; the expression must have no ellipsis. Throws bad_input if a label has no size or a negative one.
SizedExpression with_extents(const Expression& expression, const std::map<Label, std::int64_t>& extents);

/// Reads `a=400`, `a=b=c=400`, and several of these separated by commas, for labels that are characters. Throws bad_input, which names the
/// label, if a label is given twice with different sizes, is unknown, or has a size outside of [0, 2^40].
std::map<Label, std::int64_t> parse_sizes(std::span<const std::string> words, const Expression& expression);

/// Returns the name of a label in messages: its character, its number, or `axis 1 of ...` counted from the right.
std::string name_of(const Expression& expression, Label label);

/// Places of the elements of D := alpha op(A) op(B) + beta op(C): strides in elements, one per axis. An empty list stands for a dense tensor
/// in PlanOptions::order. Strides of A, B and C may be negative, 0 or interleaved.
struct EinsumStrides {
  std::vector<std::vector<std::int64_t>> operands = {};  ///< A's and B's; empty: both are dense
  std::vector<std::int64_t> result = {};                 ///< D's
  std::vector<std::int64_t> addend = {};                 ///< C's, in the order of D's axes; empty: as D's
  bool conjugated_addend = false;                        ///< op(C) is C's complex conjugate
};

}  // namespace flopcast::contract
