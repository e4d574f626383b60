#pragma once

#include <complex>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "flopcast/contract/notation/expression.hpp"
#include "flopcast/contract/planner/contraction_plan.hpp"
#include "flopcast/support/units.hpp"

namespace flopcast::contract {

/// A prepared expression of one or two operands: execute() may be called often, on any buffers, and from several threads at once.
///
/// Repeated labels become strides of diagonals, and axes of size 1 are dropped. Indices of one operand alone are summed first. Copies,
/// transpositions, sums, elementwise products, dot products and tiny contractions need no BLAS; all others are planned by plan_contraction().
class PairPlan {
 public:
  /// D := alpha op(A) op(B) + beta op(C), as Plan::execute().
  void execute(std::span<const void* const> operands, const void* addend, void* result, std::complex<double> alpha,
               std::complex<double> beta) const;
  /// D := alpha op(A) op(B) + beta D. The strides of C, if there are any, must be those of D.
  void execute(std::span<const void* const> operands, void* result, std::complex<double> alpha = 1.0,
               std::complex<double> beta = 0.0) const {
    execute(operands, result, result, alpha, beta);
  }

  [[nodiscard]] const SizedExpression& expression() const;
  /// Returns one line per step, then the explanation of the planned contraction.
  [[nodiscard]] std::string explain() const;
  /// Returns whether the choice is final, as ContractionPlan::is_decided().
  [[nodiscard]] bool is_decided() const;
  /// Returns the expected time of execute() with beta = 0.
  [[nodiscard]] Seconds seconds() const;
  /// Returns the bytes that execute() allocates for intermediates and packing.
  [[nodiscard]] std::int64_t workspace_bytes() const;
  /// Returns the floating-point operations: a multiplication and an addition per product of the planned or direct contraction.
  [[nodiscard]] double flops() const;
  /// Returns the plan of the contraction, or null where no BLAS is needed.
  [[nodiscard]] const ContractionPlan* core() const;

 private:
  friend PairPlan plan_pair(const SizedExpression&, const EinsumStrides&, const Machine&, const PlanOptions&);
  class State;
  explicit PairPlan(std::shared_ptr<const State> state) : state_(std::move(state)) {}
  std::shared_ptr<const State> state_;
};

/// Plans an expression of one or two operands of type options.precision. For one operand, and wherever core() is null, an empty Machine{}
/// suffices. Throws bad_input if there are more operands, the number of strides is wrong, elements of D share addresses, or the tensors reach
/// further than 62 bits can address. Throws what plan_contraction() throws.
PairPlan plan_pair(const SizedExpression& expression, const EinsumStrides& strides, const Machine& machine,
                   const PlanOptions& options = {});

}  // namespace flopcast::contract
