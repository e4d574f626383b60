#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "flopcast/contract/einsum/einsum_plan.hpp"
#include "flopcast/contract/einsum/expression.hpp"
#include "flopcast/contract/network/expression_plan.hpp"
#include "flopcast/core/routine.hpp"
#include "flopcast/support/run_context.hpp"
#include "flopcast/support/units.hpp"
#include "flopcast/tasks/contraction/contraction.hpp"

/// Einstein summation in its whole notation with the tools of a Workbench: plan and execute expressions, compute .npy files.
namespace flopcast {

/// Plans an expression of one or two operands, as plan() plans contractions. Precision and order of dense tensors are those of `request`;
/// its strides aren't used. Throws what contract::plan_einsum() and plan() throw.
contract::EinsumPlan plan_einsum(const Workbench& bench, const contract::SizedExpression& expression,
                                 const contract::EinsumStrides& strides = {}, const PlanRequest& request = {},
                                 const RunContext& context = {});

/// Plans an expression of any number of operands. One or two are an EinsumPlan; more are a tree of pairwise contractions with the shortest
/// predicted time. Precision and order of dense tensors are those of `request`; its strides aren't used. Throws what
/// contract::plan_expression() and plan() throw.
contract::ExpressionPlan plan_expression(const Workbench& bench, const contract::SizedExpression& expression,
                                         const contract::EinsumStrides& strides = {}, const PlanRequest& request = {},
                                         const RunContext& context = {});

/// Plans an expression of two operands of these shapes, in any of the notations that contract::parse_expression() reads. Precision, order and
/// strides are those of `request`. Throws, in addition, bad_input if the shapes contradict the expression or each other.
contract::EinsumPlan plan(const Workbench& bench, std::string_view expression, const std::vector<std::int64_t>& shape_a,
                          const std::vector<std::int64_t>& shape_b, const PlanRequest& request = {}, const RunContext& context = {});

/// Plans an expression of tensors of these shapes, one per operand, in any of the notations that contract::parse_expression() reads.
contract::ExpressionPlan plan(const Workbench& bench, std::string_view expression, const std::vector<std::vector<std::int64_t>>& shapes,
                              const PlanRequest& request = {}, const RunContext& context = {});

/// Returns the summary of a plan. No tiles were considered where no BLAS is needed, and for three operands and more.
PlanSummary summary(const contract::EinsumPlan& plan);
PlanSummary summary(const contract::ExpressionPlan& plan);

/// A step of a plan: a product of two tensors, or the sum or copy of one.
struct PlannedStep {
  std::string step;       ///< such as "t1[ac] := operand1[ab] operand2[bc]"
  double executions = 1;  ///< 1, or the number of blocks for which the step is repeated
  double flops = 0;       ///< of all executions, as the next two
  double bytes = 0;       ///< elements read and written
  Seconds seconds = 0;    ///< predicted time
  friend bool operator==(const PlannedStep&, const PlannedStep&) = default;
};

/// A label that is cut into blocks, because the intermediates would have no room.
struct BlockedLabel {
  std::string label;
  std::int64_t size = 1, block_size = 1;  ///< elements along the label, and of a block; the last block may be shorter
  friend bool operator==(const BlockedLabel&, const BlockedLabel&) = default;
};

/// The steps of a plan, in their order. Tensors are "operand1" and so on, intermediates "t1" and so on, and "output".
struct PlannedSteps {
  std::vector<PlannedStep> steps;
  std::vector<BlockedLabel> blocks;
  bool is_exhaustive = true;  ///< no other order of the operands was left out of the search
  friend bool operator==(const PlannedSteps&, const PlannedSteps&) = default;
};

/// An expression and its plan.
struct PlannedExpression {
  std::string expression;                     ///< in einsum's notation
  std::map<std::string, std::int64_t> sizes;  ///< size of each label
  Precision precision = Precision::d;
  PlanSummary plan;
  double flops = 0;  ///< floating-point operations of one execution
  PlannedSteps steps;
  friend bool operator==(const PlannedExpression&, const PlannedExpression&) = default;
};

/// Plans an expression and describes the plan. With Effort::estimate nothing is executed, and three operands and more need no memory.
PlannedExpression explain_einsum(const Workbench& bench, const contract::SizedExpression& expression,
                                 const contract::EinsumStrides& strides = {}, const PlanRequest& request = {},
                                 const RunContext& context = {});

/// An expression that was planned and executed.
struct EinsumRun {
  std::string expression;                     ///< in einsum's notation
  std::map<std::string, std::int64_t> sizes;  ///< size of each label
  Precision precision = Precision::d;
  PlanSummary plan;
  double flops = 0;              ///< floating-point operations of one execution
  Seconds planning_seconds = 0;  ///< time until the plan was ready, without the time for opening the machine
  std::vector<Seconds> times;    ///< time of each execution
  double flops_per_second = 0;   ///< rate of the median execution
  PlannedSteps steps = {};
  friend bool operator==(const EinsumRun&, const EinsumRun&) = default;
};

/// Plans an expression and executes it on random numbers for a second: at least 3 and at most 100 times. An incremental plan is executed
/// until its choice is made, for request.time_budget at most. Throws environment_error if the tensors need more memory than is available,
/// and what plan_expression() throws.
EinsumRun run_einsum(const Workbench& bench, const contract::SizedExpression& expression, const contract::EinsumStrides& strides = {},
                     const PlanRequest& request = {}, const RunContext& context = {});

/// An expression of .npy files, whose result is written to another one.
struct EinsumFilesRequest {
  std::string expression;             ///< in one of the notations of contract::parse_expression()
  std::vector<std::string> operands;  ///< paths of the operands, in the expression's order
  std::string result;                 ///< path of the result
  PlanRequest plan = {};              ///< its precision, order and strides aren't used: the files have their own
};

/// Computes an expression of .npy files. The result is written as a whole or not at all, row-major. Operands with one file are one tensor.
/// Throws bad_input, which names the file, if a file isn't .npy or contradicts the expression, and if the result's file is an operand's.
EinsumRun einsum_files(const Workbench& bench, const EinsumFilesRequest& request, const RunContext& context = {});

/// Return results as JSON documents: "flopcast-einsum-run-1" for a run, "flopcast-einsum-plan-1" for a plan.
std::string to_json(const EinsumRun& run);
std::string to_json(const PlannedExpression& planned);
/// Read documents back. Throw bad_input, which names the member, for text that isn't such a document.
EinsumRun einsum_run_from_json(std::string_view text);
PlannedExpression planned_expression_from_json(std::string_view text);

}  // namespace flopcast
