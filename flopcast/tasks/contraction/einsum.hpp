#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "flopcast/contract/einsum/einsum_plan.hpp"
#include "flopcast/contract/einsum/expression.hpp"
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

/// Returns the summary of a plan. No tiles were considered where no BLAS is needed.
PlanSummary summary(const contract::EinsumPlan& plan);

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
  friend bool operator==(const EinsumRun&, const EinsumRun&) = default;
};

/// Plans an expression and executes it on random numbers for a second: at least 3 and at most 100 times. An incremental plan is executed
/// until its choice is made, for request.time_budget at most. Throws environment_error if the
/// tensors need more memory than is available, and what plan_einsum() throws.
EinsumRun run_einsum(const Workbench& bench, const contract::SizedExpression& expression, const contract::EinsumStrides& strides = {},
                     const PlanRequest& request = {}, const RunContext& context = {});

/// An expression of .npy files, whose result is written to another one.
struct EinsumFilesRequest {
  std::string expression;             ///< in one of the notations of contract::parse_expression()
  std::vector<std::string> operands;  ///< paths of the operands, in the expression's order
  std::string result;                 ///< path of the result
  PlanRequest plan = {};              ///< its precision, order and strides aren't used: the files have their own
};

/// Computes an expression of .npy files. The result is written as a whole or not at all, row-major. Throws bad_input, which names the file, if
/// a file isn't .npy or contradicts the expression, and if the result's file is an operand's.
EinsumRun einsum_files(const Workbench& bench, const EinsumFilesRequest& request, const RunContext& context = {});

/// Returns a run as a JSON document, "flopcast-einsum-run-1".
std::string to_json(const EinsumRun& run);
/// Reads the document back. Throws bad_input, which names the member, for text that isn't such a document.
EinsumRun einsum_run_from_json(std::string_view text);

}  // namespace flopcast
