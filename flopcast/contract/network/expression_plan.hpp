#pragma once

#include <complex>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "flopcast/contract/einsum/einsum_plan.hpp"
#include "flopcast/contract/network/contraction_tree.hpp"
#include "flopcast/support/units.hpp"

namespace flopcast::contract {

struct ExpressionOptions {
  PlanOptions plan;
  TreeOptions tree;               ///< intermediates have at most half of the available memory, even if the limit is larger
  std::vector<int> tensors = {};  ///< one number per operand: operands with equal numbers from 0 on are one tensor; empty: none are
};

/// A prepared expression of any number of operands: execute() may be called often, on any buffers, and from several threads at once. One or
/// two operands are an EinsumPlan. More are a tree of pairwise contractions with the shortest predicted time, each of which is planned with
/// the effort of the options.
class ExpressionPlan {
 public:
  /// D := alpha op(A) op(B) ... + beta op(C), as EinsumPlan::execute() does for two operands.
  void execute(std::span<const void* const> operands, const void* addend, void* result, std::complex<double> alpha,
               std::complex<double> beta) const;
  /// D := alpha op(A) op(B) ... + beta D. The strides of C, if there are any, must be those of D.
  void execute(std::span<const void* const> operands, void* result, std::complex<double> alpha = 1.0,
               std::complex<double> beta = 0.0) const {
    execute(operands, result, result, alpha, beta);
  }

  /// Returns the explanation of the plan for two operands, or the table of the tree's steps.
  [[nodiscard]] std::string explain() const;
  /// Returns whether the choice is final, as Plan::is_decided(); of a tree, whether those of all of its steps are.
  [[nodiscard]] bool is_decided() const;
  /// Returns the expected time of execute() with beta = 0.
  [[nodiscard]] Seconds seconds() const;
  /// Returns the bytes of the intermediates; for one or two operands, those of packing, too.
  [[nodiscard]] std::int64_t workspace_bytes() const;
  [[nodiscard]] double flops() const;
  /// Returns the tree, or null for one or two operands.
  [[nodiscard]] const ContractionTree* tree() const;
  /// Returns the plan for one or two operands, or null for more.
  [[nodiscard]] const EinsumPlan* pair() const;

 private:
  friend ExpressionPlan plan_expression(const SizedExpression&, const EinsumStrides&, const Machine&, const ExpressionOptions&);
  class State;
  explicit ExpressionPlan(std::shared_ptr<const State> state) : state_(std::move(state)) {}
  std::shared_ptr<const State> state_;
};

/// Plans an expression of any number of operands of type options.plan.precision. Throws what plan_einsum() and find_tree() throw, and
/// bad_input if the number of tensors is neither 0 nor that of the operands.
ExpressionPlan plan_expression(const SizedExpression& expression, const EinsumStrides& strides, const Machine& machine,
                               const ExpressionOptions& options = {});

/// Plans an expression in one of the notations of parse_expression() for dense tensors of these shapes in options.plan.order.
ExpressionPlan plan_expression(std::string_view text, std::span<const std::vector<std::int64_t>> shapes, const Machine& machine,
                               const ExpressionOptions& options = {});

/// Says whether flopcast's planner or NumPy executes the pairs of a path.
enum class Executor : std::uint8_t { planner, numpy };

/// Finds the tree of an expression of dense tensors, one operand or more, without preparing its execution.
ContractionTree find_tree(const SizedExpression& expression, const EinsumStrides& strides, const Machine& machine,
                          const ExpressionOptions& options = {});

/// Finds an order of pairwise contractions of dense tensors that is fast if `executor` follows it.
ContractionPath find_path(const SizedExpression& expression, const Machine& machine, Executor executor,
                          const ExpressionOptions& options = {});

}  // namespace flopcast::contract
