#pragma once

#include <array>
#include <complex>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "flopcast/contract/network/contraction_tree.hpp"
#include "flopcast/contract/notation/expression.hpp"
#include "flopcast/contract/planner/contraction_plan.hpp"
#include "flopcast/support/units.hpp"

/// Tensor contractions for users, in the manner of FFTW: plan once, execute often.
///
/// const contract::Machine machine = contract::local_machine();
/// const std::vector<std::vector<std::int64_t>> shapes = {{8, 8, 100}, {8, 100, 8, 100}};
/// const contract::Plan plan = contract::plan("ija,jbic->abc", shapes, machine);
/// plan.execute(a, b, c);
namespace flopcast::contract {

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
               std::complex<double> beta) const;
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
  [[nodiscard]] std::string explain() const;
  /// Returns whether the choice is final, as ContractionPlan::is_decided(); of a tree, whether those of all of its steps are.
  [[nodiscard]] bool is_decided() const;
  /// Returns the expected time of execute() with beta = 0.
  [[nodiscard]] Seconds seconds() const;
  /// Returns the bytes of the intermediates; for one or two operands, those of packing, too.
  [[nodiscard]] std::int64_t workspace_bytes() const;
  [[nodiscard]] double flops() const;
  /// Returns the tree, or null for one or two operands.
  [[nodiscard]] const ContractionTree* tree() const;
  /// Returns the plan of the contraction of two tensors, or null where no BLAS is needed and for three operands and more.
  [[nodiscard]] const ContractionPlan* core() const;

 private:
  friend Plan plan(const SizedExpression&, const EinsumStrides&, const Machine&, const PlanOptions&);
  class State;
  explicit Plan(std::shared_ptr<const State> state) : state_(std::move(state)) {}
  std::shared_ptr<const State> state_;
};

/// Plans an expression of any number of operands of type options.precision. Throws what plan_pair() and find_tree() throw, and
/// bad_input if the number of tensors is neither 0 nor that of the operands.
Plan plan(const SizedExpression& expression, const EinsumStrides& strides, const Machine& machine, const PlanOptions& options = {});

/// Plans an expression in one of the notations of parse_expression() for dense tensors of these shapes in options.plan.order.
Plan plan(std::string_view text, std::span<const std::vector<std::int64_t>> shapes, const Machine& machine,
          const PlanOptions& options = {});

/// Says whether flopcast's planner or NumPy executes the pairs of a path.
enum class Executor : std::uint8_t { planner, numpy };

/// Finds the tree of an expression of dense tensors, one operand or more, without preparing its execution.
ContractionTree find_tree(const SizedExpression& expression, const EinsumStrides& strides, const Machine& machine,
                          const PlanOptions& options = {});

/// Finds an order of pairwise contractions of dense tensors that is fast if `executor` follows it.
ContractionPath find_path(const SizedExpression& expression, const Machine& machine, Executor executor, const PlanOptions& options = {});

}  // namespace flopcast::contract
