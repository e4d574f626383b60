#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <map>
#include <numeric>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "flopcast/contract/einsum/einsum_tensors.hpp"
#include "flopcast/contract/notation/npy.hpp"
#include "flopcast/core/statistics.hpp"
#include "flopcast/support/error.hpp"
#include "flopcast/support/file.hpp"
#include "flopcast/support/units.hpp"
#include "flopcast/tasks/contraction/contraction_tools.hpp"
#include "flopcast/tasks/contraction/einsum.hpp"
#include "flopcast/workbench/workbench.hpp"

namespace flopcast {
namespace {

constexpr std::size_t most_of_a_pair = 2;

contract::ExpressionOptions einsum_options(const PlanningTools& tools, const PlanRequest& request, const RunContext& context) {
  contract::ExpressionOptions options;
  options.plan = plan_options(tools, request, context);
  options.plan.precision = request.precision;
  options.plan.order = request.order;
  options.tree.max_bytes = request.max_bytes;
  options.tensors = request.tensors;
  return options;
}

contract::ExpressionPlan made_plan(const contract::SizedExpression& expression, const contract::EinsumStrides& strides,
                                   const contract::Machine& machine, const contract::ExpressionOptions& options, const PlanRequest& request,
                                   const RunContext& context) {
  contract::ExpressionPlan plan = contract::plan_expression(expression, strides, machine, options);
  context.throw_if_cancelled("nothing is kept of an unfinished choice");
  const contract::EinsumPlan* const pair = plan.pair();
  if (pair != nullptr && pair->core() != nullptr) {
    static_cast<void>(pair->core()->considered());  // prepares a stored choice, which the first execution would do otherwise
    note_what_is_dropped(*pair->core(), request, context);
  } else if (pair != nullptr && request.tiles) {
    context.note("no tiles are used: the expression needs no BLAS");
  }
  return plan;
}

/// Opens the machine for two operands and more only.
contract::Machine machine_for(const PlanningTools& tools, const contract::SizedExpression& expression) {
  return expression.operands.size() > 1 ? tools.machine() : contract::Machine{};
}

contract::LabelName names_of(const contract::SizedExpression& expression) {
  return [&expression](contract::Label label) { return contract::name_of(expression.expression, label); };
}

PlannedSteps steps_of(const contract::ContractionTree& tree, const contract::SizedExpression& expression) {
  PlannedSteps result;
  for (const contract::TreeStep& step : tree.steps) {
    result.steps.push_back({tree.text_of(step, names_of(expression)), step.executions, step.flops, step.bytes, step.seconds});
  }
  for (const contract::TreeLoop& loop : tree.loops) {
    result.blocks.push_back({names_of(expression)(loop.label), loop.extent, loop.length});
  }
  result.is_exhaustive = tree.is_exhaustive;
  return result;
}

/// Returns a tensor with its labels, such as "operand1[ab]".
std::string text_of(const std::string& tensor, const contract::Subscripts& subscripts, const contract::SizedExpression& expression) {
  std::vector<std::string> names;
  std::transform(subscripts.labels.begin(), subscripts.labels.end(), std::back_inserter(names), names_of(expression));
  const bool are_letters = std::all_of(names.begin(), names.end(), [](const std::string& name) { return name.size() == 1; });
  return fmt::format("{}[{}]", tensor, fmt::join(names, are_letters ? "" : " "));
}

/// Returns the one step of an expression of one or two operands.
PlannedSteps steps_of(const contract::EinsumPlan& plan, const contract::SizedExpression& expression, Precision precision) {
  std::string text = text_of("output", expression.result, expression) + " :=";
  double elements = 1;
  for (const std::int64_t size : expression.result_shape()) {
    elements *= static_cast<double>(size);
  }
  for (std::size_t i = 0; i < expression.operands.size(); ++i) {
    text += ' ' + text_of(fmt::format("operand{}", i + 1), expression.operands[i], expression);
    elements += std::accumulate(expression.shapes[i].begin(), expression.shapes[i].end(), 1.0,
                                [](double product, std::int64_t size) { return product * static_cast<double>(size); });
  }
  return {{{text, 1, plan.flops(), elements * static_cast<double>(element_bytes(precision)), plan.seconds()}}, {}, true};
}

PlannedSteps steps_of(const contract::ExpressionPlan& plan, const contract::SizedExpression& expression, Precision precision) {
  return plan.tree() != nullptr ? steps_of(*plan.tree(), expression) : steps_of(*plan.pair(), expression, precision);
}

std::map<std::string, std::int64_t> sizes_of(const contract::SizedExpression& expression) {
  std::map<std::string, std::int64_t> sizes;
  for (const auto& [label, extent] : expression.extents) {
    sizes[contract::name_of(expression.expression, label)] = extent;
  }
  return sizes;
}

EinsumRun finished(const contract::ExpressionPlan& plan, const contract::SizedExpression& expression, Precision precision,
                   Seconds planning_seconds, std::vector<Seconds> times) {
  EinsumRun run;
  run.expression = contract::to_string(expression.expression);
  run.sizes = sizes_of(expression);
  run.precision = precision;
  run.plan = summary(plan);
  run.flops = plan.flops();
  run.planning_seconds = planning_seconds;
  run.flops_per_second = plan.flops() / median(times);
  run.times = std::move(times);
  run.steps = steps_of(plan, expression, precision);
  return run;
}

/// Returns for each operand the number of the first operand that is the same tensor; `is_same` compares two operands.
template <class IsSame>
std::vector<int> first_of_each(std::size_t count, IsSame is_same) {
  std::vector<int> firsts(count);
  for (std::size_t i = 0; i < count; ++i) {
    firsts[i] = static_cast<int>(i);
    for (std::size_t j = i; j-- > 0;) {
      firsts[i] = is_same(i, j) ? firsts[j] : firsts[i];
    }
  }
  return firsts;
}

/// Returns first_of_each() for files, and notes files that are several operands.
std::vector<int> tensors_of(const std::vector<std::string>& files, const RunContext& context) {
  std::vector<int> firsts = first_of_each(files.size(), [&](std::size_t i, std::size_t j) {
    std::error_code none;
    return std::filesystem::equivalent(files[i], files[j], none);
  });
  for (std::size_t first = 0; first < files.size(); ++first) {
    std::vector<std::size_t> same;
    for (std::size_t i = 0; i < files.size(); ++i) {
      if (firsts[i] == static_cast<int>(first)) {
        same.push_back(i + 1);
      }
    }
    if (same.size() > 1) {
      context.note(files.size() == 2
                       ? fmt::format("{} is both operands: they are taken for one tensor", files[first])
                       : fmt::format("{} is operands {}: they are taken for one tensor", files[first], fmt::join(same, ", ")));
    }
  }
  return firsts;
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

PlanSummary summary(const contract::ExpressionPlan& plan) {
  return plan.pair() != nullptr ? summary(*plan.pair())
                                : PlanSummary{plan.explain(), plan.seconds(), plan.workspace_bytes(), {}, "", "", plan.is_decided()};
}

PlannedExpression explain_einsum(const PlanningTools& tools, const contract::SizedExpression& expression,
                                 const contract::EinsumStrides& strides, const PlanRequest& request, const RunContext& context) {
  PlannedExpression planned;
  planned.expression = contract::to_string(expression.expression);
  planned.sizes = sizes_of(expression);
  planned.precision = request.precision;
  const contract::ExpressionOptions options = einsum_options(tools, request, context);
  const bool is_pair = expression.operands.size() <= most_of_a_pair;
  if (is_pair) {
    contract::require_memory(expression, strides, options.plan);  // before planning, which lists every offset
  }
  const contract::Machine machine = machine_for(tools, expression);
  if (!is_pair && request.effort == contract::Effort::estimate && !request.tiles) {
    const contract::ContractionTree tree = contract::find_tree(expression, strides, machine, options);
    context.throw_if_cancelled("nothing is kept of an unfinished choice");
    planned.plan = {tree.explain(names_of(expression)), tree.seconds, tree.workspace_bytes, {}, "", ""};
    planned.flops = tree.flops;
    planned.steps = steps_of(tree, expression);
    return planned;
  }
  const contract::ExpressionPlan plan = made_plan(expression, strides, machine, options, request, context);
  planned.plan = summary(plan);
  planned.flops = plan.flops();
  planned.steps = steps_of(plan, expression, request.precision);
  return planned;
}

EinsumRun run_einsum(const PlanningTools& tools, const contract::SizedExpression& expression, const contract::EinsumStrides& strides,
                     const PlanRequest& request, const RunContext& context) {
  const contract::ExpressionOptions options = einsum_options(tools, request, context);
  const contract::EinsumTensors tensors(expression, strides, options.plan);  // before planning, which lists every offset
  const contract::Machine machine = machine_for(tools, expression);
  const Seconds begin = tools.now();
  const contract::ExpressionPlan plan = made_plan(expression, strides, machine, options, request, context);
  const Seconds planning_seconds = tools.now() - begin;
  std::vector<const void*> operands(tensors.operands().begin(), tensors.operands().end());
  const std::vector<int> firsts = first_of_each(request.tensors.size(), [&](std::size_t i, std::size_t j) {
    return request.tensors[i] >= 0 && request.tensors[i] == request.tensors[j];
  });
  for (std::size_t i = 0; i < firsts.size(); ++i) {
    operands[i] = operands[static_cast<std::size_t>(firsts[i])];
  }
  const auto execute = [&] { plan.execute(operands, tensors.result()); };
  return finished(plan, expression, request.precision, planning_seconds,
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
  require_room_for_result(expression.result_shape(), with_types.precision, request.result);  // before planning, which lists every offset
  with_types.order = contract::Order::row_major;
  with_types.tensors = tensors_of(request.operands, context);
  const contract::ExpressionOptions options = einsum_options(tools, with_types, context);
  const contract::Machine machine = machine_for(tools, expression);
  const Seconds begin = tools.now();
  const contract::ExpressionPlan plan = made_plan(expression, strides, machine, options, with_types, context);
  const Seconds planning_seconds = tools.now() - begin;

  contract::Array result{with_types.precision, contract::Order::row_major, expression.result_shape(), {}};
  std::int64_t bytes = element_bytes(result.precision);
  for (const std::int64_t size : result.shape) {
    bytes *= size;
  }
  result.elements.resize(static_cast<std::size_t>(bytes));
  std::vector<const void*> operands;
  for (const int first : with_types.tensors) {  // one address for one tensor: the result may be symmetric
    operands.push_back(arrays[static_cast<std::size_t>(first)].elements.data());
  }
  const Seconds start = tools.now();
  plan.execute(operands, result.elements.data());
  const Seconds taken = tools.now() - start;
  context.throw_if_cancelled("nothing was written");
  write_file(request.result, contract::format_npy(result));
  return finished(plan, expression, with_types.precision, planning_seconds, {taken});
}

contract::ExpressionPlan plan_expression(const Workbench& bench, const contract::SizedExpression& expression,
                                         const contract::EinsumStrides& strides, const PlanRequest& request, const RunContext& context) {
  const PlanningTools tools = tools_of(bench, request);
  const contract::ExpressionOptions options = einsum_options(tools, request, context);
  return made_plan(expression, strides, machine_for(tools, expression), options, request, context);
}

contract::EinsumPlan plan_einsum(const Workbench& bench, const contract::SizedExpression& expression,
                                 const contract::EinsumStrides& strides, const PlanRequest& request, const RunContext& context) {
  if (expression.operands.size() > most_of_a_pair) {
    throw bad_input("expression '{}' has {} operands; expected one or two", contract::to_string(expression.expression),
                    expression.operands.size());
  }
  return *plan_expression(bench, expression, strides, request, context).pair();
}

contract::EinsumPlan plan(const Workbench& bench, std::string_view expression, const std::vector<std::int64_t>& shape_a,
                          const std::vector<std::int64_t>& shape_b, const PlanRequest& request, const RunContext& context) {
  const std::array shapes = {shape_a, shape_b};
  const contract::EinsumStrides strides = {{request.strides[0], request.strides[1]}, request.strides[2]};
  return plan_einsum(bench, contract::with_shapes(contract::parse_expression(expression), shapes), strides, request, context);
}

contract::ExpressionPlan plan(const Workbench& bench, std::string_view expression, const std::vector<std::vector<std::int64_t>>& shapes,
                              const PlanRequest& request, const RunContext& context) {
  return plan_expression(bench, contract::with_shapes(contract::parse_expression(expression), shapes), {}, request, context);
}

PlannedExpression explain_einsum(const Workbench& bench, const contract::SizedExpression& expression,
                                 const contract::EinsumStrides& strides, const PlanRequest& request, const RunContext& context) {
  return explain_einsum(tools_of(bench, request), expression, strides, request, context);
}

EinsumRun run_einsum(const Workbench& bench, const contract::SizedExpression& expression, const contract::EinsumStrides& strides,
                     const PlanRequest& request, const RunContext& context) {
  return run_einsum(tools_of(bench, request), expression, strides, request, context);
}

EinsumRun einsum_files(const Workbench& bench, const EinsumFilesRequest& request, const RunContext& context) {
  return einsum_files(tools_of(bench, request.plan), request, context);
}

}  // namespace flopcast
