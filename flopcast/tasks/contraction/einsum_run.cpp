#include <array>
#include <complex>
#include <filesystem>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "flopcast/contract/einsum/einsum_tensors.hpp"
#include "flopcast/contract/notation/npy.hpp"
#include "flopcast/core/statistics.hpp"
#include "flopcast/support/error.hpp"
#include "flopcast/support/file.hpp"
#include "flopcast/tasks/contraction/contraction_tools.hpp"
#include "flopcast/tasks/contraction/einsum.hpp"
#include "flopcast/workbench/workbench.hpp"

namespace flopcast {
namespace {

contract::PlanOptions einsum_options(const PlanningTools& tools, const PlanRequest& request, const RunContext& context) {
  contract::PlanOptions options = plan_options(tools, request, context);
  options.precision = request.precision;
  options.order = request.order;
  return options;
}

/// Plans an expression, and opens the machine only for two operands.
contract::EinsumPlan made_plan(const contract::SizedExpression& expression, const contract::EinsumStrides& strides,
                               const contract::Machine& machine, const contract::PlanOptions& options, const PlanRequest& request,
                               const RunContext& context) {
  contract::EinsumPlan plan = contract::plan_einsum(expression, strides, machine, options);
  context.throw_if_cancelled("nothing is kept of an unfinished choice");
  if (plan.core() != nullptr) {
    static_cast<void>(plan.core()->considered());  // prepares a stored choice, which the first execution would do otherwise
    note_what_is_dropped(*plan.core(), request, context);
  } else if (request.tiles) {
    context.note("no tiles are used: the expression needs no BLAS");
  }
  return plan;
}

contract::Machine machine_for(const PlanningTools& tools, const contract::SizedExpression& expression) {
  return expression.operands.size() > 1 ? tools.machine() : contract::Machine{};
}

EinsumRun finished(const contract::EinsumPlan& plan, Precision precision, Seconds planning_seconds, std::vector<Seconds> times) {
  EinsumRun run;
  const contract::SizedExpression& expression = plan.expression();
  run.expression = contract::to_string(expression.expression);
  for (const auto& [label, extent] : expression.extents) {
    run.sizes[contract::name_of(expression.expression, label)] = extent;
  }
  run.precision = precision;
  run.plan = summary(plan);
  run.flops = plan.flops();
  run.planning_seconds = planning_seconds;
  run.flops_per_second = plan.flops() / median(times);
  run.times = std::move(times);
  return run;
}

/// Reads the operands' files. Throws bad_input if their types of elements differ.
std::vector<contract::Array> read_operands(const std::vector<std::string>& files, const RunContext& context) {
  std::vector<contract::Array> arrays;
  for (const std::string& file : files) {
    arrays.push_back(contract::parse_npy(read_file(file), file));
    if (arrays.back().precision != arrays.front().precision) {
      throw bad_input("{} and {} have different types of elements; convert one of them", files.front(), file);
    }
    note_special_numbers(arrays.back(), file, context);
  }
  return arrays;
}

}  // namespace

PlanSummary summary(const contract::EinsumPlan& plan) {
  PlanSummary result = plan.core() != nullptr ? summary(*plan.core()) : PlanSummary{};
  result.explanation = plan.explain();
  result.seconds = plan.seconds();
  result.workspace_bytes = plan.workspace_bytes();
  return result;
}

EinsumRun run_einsum(const PlanningTools& tools, const contract::SizedExpression& expression, const contract::EinsumStrides& strides,
                     const PlanRequest& request, const RunContext& context) {
  const contract::PlanOptions options = einsum_options(tools, request, context);
  const contract::EinsumTensors tensors(expression, strides, options);  // before planning, which lists every offset
  const contract::Machine machine = machine_for(tools, expression);
  const Seconds begin = tools.now();
  const contract::EinsumPlan plan = made_plan(expression, strides, machine, options, request, context);
  const Seconds planning_seconds = tools.now() - begin;
  const auto execute = [&] { plan.execute(tensors.operands(), tensors.result()); };
  return finished(plan, request.precision, planning_seconds,
                  times_of(
                      tools, context, execute, [&] { return !plan.is_decided(); }, request.time_budget));
}

EinsumRun einsum_files(const PlanningTools& tools, const EinsumFilesRequest& request, const RunContext& context) {
  require_result_apart(request.operands, request.result);
  require_writable(request.result);
  const contract::Expression parsed = contract::parse_expression(request.expression);
  if (parsed.operands.size() != request.operands.size()) {
    throw bad_input("'{}' has {}, but {} given", request.expression, counted(parsed.operands.size(), "operand"),
                    request.operands.size() == 1 ? "1 file is" : fmt::format("{} files are", request.operands.size()));
  }
  const std::vector<contract::Array> arrays = read_operands(request.operands, context);
  std::vector<std::vector<std::int64_t>> shapes;
  contract::EinsumStrides strides;
  for (const contract::Array& array : arrays) {
    shapes.push_back(array.shape);
    strides.operands.push_back(strides_of(array));
  }
  const contract::SizedExpression expression = contract::with_shapes(parsed, shapes);
  PlanRequest with_types = request.plan;
  with_types.precision = arrays.front().precision;
  with_types.order = contract::Order::row_major;
  const contract::PlanOptions options = einsum_options(tools, with_types, context);
  const contract::Machine machine = machine_for(tools, expression);
  const Seconds begin = tools.now();
  const contract::EinsumPlan plan = made_plan(expression, strides, machine, options, with_types, context);
  const Seconds planning_seconds = tools.now() - begin;

  contract::Array result{with_types.precision, contract::Order::row_major, expression.result_shape(), {}};
  std::int64_t bytes = element_bytes(result.precision);
  for (const std::int64_t size : result.shape) {
    bytes *= size;
  }
  result.elements.resize(static_cast<std::size_t>(bytes));
  std::vector<const void*> operands;
  for (const contract::Array& array : arrays) {
    operands.push_back(array.elements.data());
  }
  std::error_code none;
  if (operands.size() == 2 && std::filesystem::equivalent(request.operands[0], request.operands[1], none)) {
    operands[1] = operands[0];  // the result may be symmetric
    context.note(fmt::format("{} is both operands: they are taken for one tensor", request.operands[0]));
  }
  const Seconds start = tools.now();
  plan.execute(operands, result.elements.data());
  const Seconds taken = tools.now() - start;
  context.throw_if_cancelled("nothing was written");
  write_file(request.result, contract::format_npy(result));
  return finished(plan, with_types.precision, planning_seconds, {taken});
}

contract::EinsumPlan plan_einsum(const Workbench& bench, const contract::SizedExpression& expression,
                                 const contract::EinsumStrides& strides, const PlanRequest& request, const RunContext& context) {
  const PlanningTools tools = tools_of(bench, request);
  const contract::PlanOptions options = einsum_options(tools, request, context);
  return made_plan(expression, strides, machine_for(tools, expression), options, request, context);
}

EinsumRun run_einsum(const Workbench& bench, const contract::SizedExpression& expression, const contract::EinsumStrides& strides,
                     const PlanRequest& request, const RunContext& context) {
  return run_einsum(tools_of(bench, request), expression, strides, request, context);
}

EinsumRun einsum_files(const Workbench& bench, const EinsumFilesRequest& request, const RunContext& context) {
  return einsum_files(tools_of(bench, request.plan), request, context);
}

}  // namespace flopcast
