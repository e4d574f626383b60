#pragma once

#include <array>
#include <complex>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "flopcast/contract/einsum/expression.hpp"
#include "flopcast/contract/planner/plan.hpp"
#include "flopcast/support/units.hpp"

namespace flopcast::contract {

/// Places of the elements of D := alpha op(A) op(B) + beta op(C): strides in elements, one per axis. An empty list stands for a dense tensor
/// in PlanOptions::order. Strides of A, B and C may be negative, 0 or interleaved.
struct EinsumStrides {
  std::vector<std::vector<std::int64_t>> operands = {};  ///< A's and B's; empty: both are dense
  std::vector<std::int64_t> result = {};                 ///< D's
  std::vector<std::int64_t> addend = {};                 ///< C's, in the order of D's axes; empty: as D's
  bool conjugated_addend = false;                        ///< op(C) is C's complex conjugate
};

/// A prepared expression of one or two operands: execute() may be called often, on any buffers, and from several threads at once.
///
/// Repeated labels become strides of diagonals, and axes of size 1 are dropped. Indices of one operand alone are summed first. Copies,
/// transpositions, sums, elementwise products, dot products and tiny contractions need no BLAS; all others are planned by plan().
class EinsumPlan {
 public:
  /// D := alpha op(A) op(B) + beta op(C); `operands` are A and B, `addend` is C, `result` is D, each the address of the tensor's first element.
  /// - Where D repeats a label, elements beside the diagonal become beta op(C).
  /// - With beta = 0, C is not read and may be null; with alpha = 0, A and B are not read. An empty sum is 0.
  /// - C and D may be one tensor: the same address and the same strides.
  /// Throws bad_input if the number of operands is wrong, an address is null, D overlaps another tensor, or a real tensor would be scaled by
  /// a complex number. Throws environment_error if memory for intermediates isn't available. D is unchanged after these exceptions.
  void execute(std::span<const void* const> operands, const void* addend, void* result, std::complex<double> alpha,
               std::complex<double> beta) const;
  /// D := alpha op(A) op(B) + beta D. The strides of C, if there are any, must be those of D.
  void execute(std::span<const void* const> operands, void* result, std::complex<double> alpha = 1.0,
               std::complex<double> beta = 0.0) const {
    execute(operands, result, result, alpha, beta);
  }
  /// C := alpha op(A) op(B) + beta C, of two operands.
  void execute(const void* a, const void* b, void* c, std::complex<double> alpha = 1.0, std::complex<double> beta = 0.0) const {
    execute(std::array{a, b}, c, c, alpha, beta);
  }

  [[nodiscard]] const SizedExpression& expression() const;
  /// Returns one line per step, then the explanation of the planned contraction.
  [[nodiscard]] std::string explain() const;
  /// Returns whether the choice is final, as Plan::is_decided().
  [[nodiscard]] bool is_decided() const;
  /// Returns the expected time of execute() with beta = 0.
  [[nodiscard]] Seconds seconds() const;
  /// Returns the bytes that execute() allocates for intermediates and packing.
  [[nodiscard]] std::int64_t workspace_bytes() const;
  /// Returns the floating-point operations: a multiplication and an addition per product of the planned or direct contraction.
  [[nodiscard]] double flops() const;
  /// Returns the plan of the contraction, or null where no BLAS is needed.
  [[nodiscard]] const Plan* core() const;

 private:
  friend EinsumPlan plan_einsum(const SizedExpression&, const EinsumStrides&, const Machine&, const PlanOptions&);
  class State;
  explicit EinsumPlan(std::shared_ptr<const State> state) : state_(std::move(state)) {}
  std::shared_ptr<const State> state_;
};

/// Plans an expression of one or two operands of type options.precision. For one operand, and wherever core() is null, an empty Machine{}
/// suffices. Throws bad_input if there are more operands, the number of strides is wrong, elements of D share addresses, or the tensors reach
/// further than 62 bits can address. Throws what plan() throws.
EinsumPlan plan_einsum(const SizedExpression& expression, const EinsumStrides& strides, const Machine& machine,
                       const PlanOptions& options = {});

/// Plans an expression in one of the notations of parse_expression() for dense tensors of these shapes in options.order.
EinsumPlan plan_einsum(std::string_view text, std::span<const std::vector<std::int64_t>> shapes, const Machine& machine,
                       const PlanOptions& options = {});

}  // namespace flopcast::contract
