#pragma once

#include <array>
#include <complex>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include "flopcast/contract/notation/expression.hpp"
#include "flopcast/contract/planner/contraction_plan.hpp"
#include "flopcast/support/units.hpp"

namespace flopcast::contract {

struct ContractionTree;

/// A prepared expression of any number of operands: execute() may be called often, on any buffers, and from several threads at once. Three
/// operands and more are a tree of pairwise contractions with the shortest predicted time, each of which is planned with the effort of the
/// options.
class Plan {
 public:
  /// D := alpha op(A) op(B) ... + beta op(C); `operands` are A, B ..., `addend` is C, `result` is D, each the address of the tensor's first
  /// element.
  /// - Where D repeats a label, elements beside the diagonal become beta op(C).
  /// - With beta = 0, C is not read and may be null; with alpha = 0, operands are not read. An empty sum is 0.
  /// - C and D may be one tensor: the same address and the same strides.
  /// Throws bad_input if the number of operands is wrong, an address is null, D overlaps another tensor, or a real tensor would be scaled by
  /// a complex number. Throws environment_error if memory for intermediates isn't available. D is unchanged after these exceptions.
  void execute(std::span<const void* const> operands, const void* addend, void* result, std::complex<double> alpha,
               std::complex<double> beta) const {
    state_->execute(operands, addend, result, alpha, beta);
  }
  /// D := alpha op(A) op(B) ... + beta D. The strides of C, if there are any, must be those of D.
  void execute(std::span<const void* const> operands, void* result, std::complex<double> alpha = 1.0,
               std::complex<double> beta = 0.0) const {
    execute(operands, result, result, alpha, beta);
  }
  /// C := alpha op(A) op(B) + beta C, of two operands.
  void execute(const void* a, const void* b, void* c, std::complex<double> alpha = 1.0, std::complex<double> beta = 0.0) const {
    execute(std::array{a, b}, c, c, alpha, beta);
  }

  /// Returns the explanation of the plan for two operands, or the table of the tree's steps.
  [[nodiscard]] std::string explain() const { return state_->explain(); }
  /// Returns whether the choice is final, as ContractionPlan::is_decided(); of a tree, whether those of all of its steps are.
  [[nodiscard]] bool is_decided() const { return state_->is_decided(); }
  /// Returns the expected time of execute() with beta = 0.
  [[nodiscard]] Seconds seconds() const { return state_->seconds(); }
  /// Returns the bytes of the intermediates; for one or two operands, those of packing, too.
  [[nodiscard]] std::int64_t workspace_bytes() const { return state_->workspace_bytes(); }
  /// Returns the peak of resident memory that execute() causes: the bytes of operands, result, intermediates and packing. The process itself
  /// and the buffers inside of BLAS don't count.
  [[nodiscard]] std::int64_t resident_bytes() const { return state_->resident_bytes(); }
  /// Returns the floating-point operations: a multiplication and an addition per product.
  [[nodiscard]] double flops() const { return state_->flops(); }
  /// Returns the tree, or null for one or two operands.
  [[nodiscard]] const ContractionTree* tree() const { return state_->tree(); }
  /// Returns the plan of the contraction of two tensors, or null where no BLAS is needed and for three operands and more.
  [[nodiscard]] const ContractionPlan* core() const { return state_->core(); }

  /// Plan of a pair of operands (plan_pair()) or of a tree of pairs (plan()), which copies share.
  class Implementation {
   public:
    Implementation() = default;
    Implementation(const Implementation&) = delete;
    Implementation& operator=(const Implementation&) = delete;
    virtual ~Implementation() = default;
    virtual void execute(std::span<const void* const> operands, const void* addend, void* result, std::complex<double> alpha,
                         std::complex<double> beta) const = 0;
    [[nodiscard]] virtual std::string explain() const = 0;
    [[nodiscard]] virtual bool is_decided() const = 0;
    [[nodiscard]] virtual Seconds seconds() const = 0;
    [[nodiscard]] virtual std::int64_t workspace_bytes() const = 0;
    [[nodiscard]] virtual std::int64_t resident_bytes() const = 0;
    [[nodiscard]] virtual double flops() const = 0;
    [[nodiscard]] virtual const ContractionTree* tree() const { return nullptr; }
    [[nodiscard]] virtual const ContractionPlan* core() const { return nullptr; }
  };
  explicit Plan(std::shared_ptr<const Implementation> state) : state_(std::move(state)) {}

 private:
  std::shared_ptr<const Implementation> state_;
};

/// Plans an expression of one or two operands, as plan() does. Repeated labels become strides of diagonals, and axes of size 1 are dropped.
/// Indices of one operand alone are summed first. Copies, transpositions, sums, elementwise products, dot products and tiny contractions need
/// no BLAS; all others are planned by plan_contraction().
///
/// For one operand, and wherever core() is null, an empty Machine{} suffices. Throws bad_input if there are more operands, the number of strides is wrong, elements of D share addresses, or the tensors reach
/// further than 62 bits can address. Throws what plan_contraction() throws.
Plan plan_pair(const SizedExpression& expression, const EinsumStrides& strides, const Machine& machine, const PlanOptions& options = {});

}  // namespace flopcast::contract
