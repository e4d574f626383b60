#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <functional>
#include <iterator>
#include <numeric>
#include <span>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "flopcast/contract/einsum/einsum_tensors.hpp"
#include "flopcast/contract/notation/contraction.hpp"
#include "flopcast/core/statistics.hpp"
#include "flopcast/machine/cpu/other_load.hpp"
#include "flopcast/machine/libraries/installed_libraries.hpp"
#include "flopcast/machine/libraries/library.hpp"
#include "flopcast/measure/memory.hpp"
#include "flopcast/support/error.hpp"
#include "flopcast/support/file.hpp"
#include "flopcast/support/stopwatch.hpp"
#include "flopcast/support/units.hpp"
#include "flopcast/tasks/contraction/contraction_services.hpp"
#include "flopcast/workbench/on_demand_sampling.hpp"
#include "flopcast/workbench/workbench.hpp"

namespace flopcast {
namespace {

/// Counts the real numbers of an array that are NaN or infinite, and those that are denormal.
template <class Real>
std::pair<std::size_t, std::size_t> count_special(std::span<const std::byte> elements) {
  std::size_t not_finite = 0, denormal = 0;
  for (std::size_t at = 0; at + sizeof(Real) <= elements.size(); at += sizeof(Real)) {
    Real value = 0;
    std::memcpy(&value, elements.data() + at, sizeof value);
    const int kind = std::fpclassify(value);
    not_finite += kind == FP_NAN || kind == FP_INFINITE ? 1 : 0;
    denormal += kind == FP_SUBNORMAL ? 1 : 0;
  }
  return {not_finite, denormal};
}

/// Returns the options for a request, with the services of the planner.
contract::PlanOptions plan_options(const PlanningServices& services, const PlanRequest& request, const RunContext& context) {
  contract::PlanOptions options = request;
  options.wisdom = services.store();
  options.cancelled = context.cancelled;
  options.trials = services.trials;
  return options;
}

/// Notes where requested tiles ask for buffers that nothing would use a second time, or for C to be streamed where C can't be.
void note_what_is_dropped(const contract::ContractionPlan& plan, const PlanRequest& request, const RunContext& context) {
  if (!request.tiles) {
    return;
  }
  const contract::Tiling& taken = plan.considered().front().tiling;
  const std::string kept = contract::kept_operands(taken);
  if (request.tiles->stream_c && !taken.stream_c) {
    context.note("C isn't streamed. Streaming needs the panel kernel with vectors as long as cache lines (AVX-512), and one tile of K.");
  }
  if (request.tiles->split_k && !taken.split_k) {
    context.note("K isn't split between threads. Splitting needs two threads and two tiles of K, or more.");
  }
  for (const char operand : contract::kept_operands(*request.tiles)) {
    if (kept.find(operand) == std::string::npos) {
      context.note(fmt::format("tiles of {} aren't kept: no buffer holds them, or no loop returns to them", operand));
    }
  }
}

/// Returns strides of a dense array.
std::vector<std::int64_t> strides_of(const contract::Array& array) {
  std::vector<std::int64_t> strides(array.shape.size());
  std::int64_t stride = 1;
  for (std::size_t step = 0; step < strides.size(); ++step) {
    const std::size_t i = array.order == contract::Order::column_major ? step : strides.size() - 1 - step;
    strides[i] = stride;
    stride *= std::max<std::int64_t>(1, array.shape[i]);
  }
  return strides;
}

/// Notes numbers of a file whose products take another time than those of usual numbers.
void note_special_numbers(const contract::Array& array, const std::string& file, const RunContext& context) {
  const auto [not_finite, denormal] =
      real_bytes(array.precision) == 4 ? count_special<float>(array.elements) : count_special<double>(array.elements);
  if (not_finite > 0) {
    context.note(fmt::format("{} holds NaN or Inf ({}): each of them makes elements of C NaN or Inf", file, not_finite));
  }
  if (denormal > 0) {
    context.note(fmt::format("{} holds denormal numbers ({}): many CPUs take far longer for them in any algorithm", file, denormal));
  }
}

/// Throws bad_input if the result's file is an operand's.
void require_result_apart(std::span<const std::string> operands, const std::string& result) {
  for (const std::string& operand : operands) {
    if (std::error_code none; std::filesystem::equivalent(operand, result, none)) {
      throw bad_input("{} can't take the result, because it is the operand {}; name another file", result, operand);
    }
  }
}

/// Throws environment_error if a result of this shape, and the contents of its file, need more memory than is available.
void require_room_for_result(const std::vector<std::int64_t>& shape, Precision precision, const std::string& file) {
  constexpr double copies = 2;  // the elements, and the contents of the file
  const double needed = std::accumulate(shape.begin(), shape.end(), copies * static_cast<double>(element_bytes(precision)),
                                        [](double bytes, std::int64_t size) { return bytes * static_cast<double>(size); });
  if (const auto available = static_cast<double>(measure::available_memory_bytes()); needed > available) {
    throw environment_error("computing and writing {} needs {} of memory for its {} elements, but only {} are available", file,
                            format_bytes(needed), fmt::join(shape, " x "), format_bytes(available));
  }
}

/// Calls `execute` for a second: at least 3 and at most 100 times. Goes on for `budget` seconds while `is_undecided` returns true. Returns
/// the time of each call.
std::vector<Seconds> times_of(const PlanningServices& services, const RunContext& context, const std::function<void()>& execute,
                              const std::function<bool()>& is_undecided, Seconds budget) {
  constexpr std::size_t min_times = 3, max_times = 100;
  constexpr Seconds long_enough = 1;
  std::vector<Seconds> times;
  const Seconds start = services.now();
  while (times.size() < min_times || (times.size() < max_times && services.now() - start < long_enough) ||
         (is_undecided() && services.now() - start < budget)) {
    context.throw_if_cancelled("plans that were measured are kept in the store");
    const Seconds one = services.now();
    execute();
    times.push_back(services.now() - one);
  }
  return times;
}

/// Opens the machine for two operands and more only.
contract::Machine machine_for(const PlanningServices& services, const contract::SizedExpression& expression) {
  return expression.operands.size() > 1 ? services.machine() : contract::Machine{};
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
PlannedSteps steps_of(const contract::Plan& plan, const contract::SizedExpression& expression, Precision precision) {
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

/// Throws bad_input if requested tiles ask for an order of rows that the contraction doesn't have.
void require_row_order(const contract::SizedExpression& expression, const contract::EinsumStrides& strides, const PlanRequest& request) {
  if (request.tiles && contract::is_contraction(expression.expression)) {
    contract::require_row_order(*request.tiles, contract::make_contraction(expression, strides, request.precision, request.order));
  }
}

contract::Plan made_plan(const contract::SizedExpression& expression, const contract::EinsumStrides& strides,
                         const contract::Machine& machine, const contract::PlanOptions& options, const RunContext& context) {
  contract::Plan plan = contract::plan(expression, strides, machine, options);
  context.throw_if_cancelled("nothing is kept of an unfinished choice");
  if (plan.core() != nullptr) {
    static_cast<void>(plan.core()->considered());  // prepares a stored choice, which the first execution would do otherwise
    note_what_is_dropped(*plan.core(), options, context);
  } else if (options.tiles) {
    context.note("no tiles are used: the expression needs no BLAS");
  }
  return plan;
}

ContractionResult described(const contract::SizedExpression& expression, Precision precision) {
  ContractionResult result;
  result.expression = contract::to_string(expression.expression);
  result.precision = precision;
  for (const auto& [label, extent] : expression.extents) {
    result.sizes[contract::name_of(expression.expression, label)] = extent;
  }
  return result;
}

ContractionResult described(const contract::SizedExpression& expression, Precision precision, const contract::Plan& plan) {
  ContractionResult result = described(expression, precision);
  result.plan = summary(plan);
  result.flops = plan.flops();
  result.steps = plan.tree() != nullptr ? steps_of(*plan.tree(), expression) : steps_of(plan, expression, precision);
  return result;
}

/// The tensors of an expression that is planned and executed.
struct RunTensors {
  std::vector<const void*> operands;
  void* result = nullptr;
};

/// Plans an expression without executing it.
ContractionResult planned(const PlanningServices& services, const contract::SizedExpression& expression,
                          const contract::EinsumStrides& strides, const contract::PlanOptions& options, const RunContext& context) {
  constexpr std::size_t most_of_a_pair = 2;
  const bool is_pair = expression.operands.size() <= most_of_a_pair;
  const bool is_estimate = options.effort == contract::Effort::estimate && !options.tiles;
  if (is_pair && !is_estimate) {
    contract::require_memory(expression, strides, options);  // before planning, which lists every offset
  }
  const std::int64_t tensors =
      contract::tensor_bytes(contract::tensor_axes(expression, strides, options.precision, options.order), options);
  const std::int64_t available = measure::available_memory_bytes();
  const bool has_room = tensors <= available;
  const contract::Machine machine = has_room ? machine_for(services, expression) : services.machine();
  if (!is_estimate || (is_pair && has_room)) {
    return described(expression, options.precision, made_plan(expression, strides, machine, options, context));
  }
  const contract::ContractionTree tree = contract::find_tree(expression, strides, machine, options);
  context.throw_if_cancelled("nothing is kept of an unfinished choice");
  if (!has_room) {
    context.note(fmt::format("the tensors need {} of memory, but only {} are available: this machine can't execute the plan",
                             format_bytes(static_cast<double>(tensors)), format_bytes(static_cast<double>(available))));
  }
  ContractionResult result = described(expression, options.precision);
  result.plan = {tree.explain(names_of(expression)), tree.seconds, tree.workspace_bytes, tensors + tree.workspace_bytes, {}, "", ""};
  result.flops = tree.flops;
  result.steps = steps_of(tree, expression);
  return result;
}

/// Plans an expression and executes it on `tensors`, once or for a second.
ContractionResult executed(const PlanningServices& services, const contract::SizedExpression& expression,
                           const contract::EinsumStrides& strides, const contract::PlanOptions& options, const RunTensors& tensors,
                           bool once, const RunContext& context) {
  const contract::Machine machine = machine_for(services, expression);
  const Seconds begin = services.now();
  const contract::Plan plan = made_plan(expression, strides, machine, options, context);
  const Seconds planning_seconds = services.now() - begin;
  const auto execute = [&] { plan.execute(tensors.operands, tensors.result); };
  std::vector<Seconds> times;
  if (once) {
    const Seconds start = services.now();
    execute();
    times = {services.now() - start};
  } else {
    times = times_of(
        services, context, execute, [&] { return !plan.is_decided(); }, options.time_budget);
  }
  services.tell_noise(context);
  ContractionResult result = described(expression, options.precision, plan);
  result.planning_seconds = planning_seconds;
  result.flops_per_second = plan.flops() / median(times);
  result.times = std::move(times);
  return result;
}

ContractionResult run_files(const PlanningServices& services, const ContractionRequest& request, const RunContext& context) {
  require_result_apart(request.operands, request.result);
  require_writable(request.result);
  if (request.expression.operands.size() != request.operands.size()) {
    throw bad_input("'{}' has {}, but {} given", contract::to_string(request.expression),
                    counted(request.expression.operands.size(), "operand"),
                    request.operands.size() == 1 ? "1 file is" : fmt::format("{} files are", request.operands.size()));
  }
  const std::vector<contract::Array> arrays = read_operands(request.operands, context);
  std::vector<std::vector<std::int64_t>> shapes;
  contract::EinsumStrides strides;
  for (const contract::Array& array : arrays) {
    shapes.push_back(array.shape);
    strides.operands.push_back(strides_of(array));
  }
  const contract::SizedExpression expression = contract::with_shapes(request.expression, shapes);
  contract::Array result{arrays.front().precision, contract::Order::row_major, expression.result_shape(), {}};
  require_room_for_result(result.shape, result.precision, request.result);  // before planning, which lists every offset
  contract::PlanOptions options = plan_options(services, request.plan, context);
  options.precision = result.precision;
  options.order = result.order;
  options.tensors = tensors_of(request.operands, context);
  require_row_order(expression, strides, options);
  result.elements.resize(static_cast<std::size_t>(
      std::accumulate(result.shape.begin(), result.shape.end(), element_bytes(result.precision), std::multiplies<std::int64_t>())));
  RunTensors tensors{{}, result.elements.data()};
  for (const int first : options.tensors) {  // one address for one tensor: the result may be symmetric
    tensors.operands.push_back(arrays[static_cast<std::size_t>(first)].elements.data());
  }
  ContractionResult run = executed(services, expression, strides, options, tensors, true, context);
  context.throw_if_cancelled("nothing was written");
  write_file(request.result, contract::format_npy(result));
  return run;
}

}  // namespace

PlanningServices tools_of(const Workbench& bench, const PlanRequest& request) {
  if (bench.choice().threads != 1) {
    throw bad_input("the planner's threads share the work around a BLAS on one thread, but the workbench has {}; give PlanRequest::threads",
                    counted(bench.choice().threads, "thread"));
  }
  const Stopwatch watch;
  return {[&bench, &request] {
            return contract::machine_of([&bench](std::string_view routine) { return bench.libraries().find(routine); }, bench.environment(),
                                        bench.store(), request.threads, request.fresh);
          },
          [&bench] { return &bench.store(); }, [watch] { return watch.elapsed(); }, bench.trials()};
}

std::function<void(const RunContext&)> noise_from_now_on() {
  return [others = machine::OtherLoad()](const RunContext& context) { tell_noise(others.cores().value_or(0), {}, context); };
}

machine::LibraryChoice planning_libraries(machine::LibraryChoice choice) {
  if (choice.blas.empty()) {
    choice.blas = machine::default_blas(choice.threads);
  }
  choice.threads = 1;
  return choice;
}

PlanSummary summary(const contract::Plan& plan) {
  constexpr std::size_t max_considered = 16;
  constexpr std::array<const char*, 3> bases = {"model", "micro-benchmark", "execution"};
  PlanSummary summary{plan.explain(), plan.seconds(), plan.workspace_bytes(), plan.resident_bytes(), {}, "", "", plan.is_decided()};
  if (plan.core() == nullptr) {
    return summary;
  }
  const std::vector<contract::Candidate>& considered = plan.core()->considered();
  summary.loops = contract::to_string(considered.front().tiling.order);
  summary.kept = contract::kept_operands(considered.front().tiling);
  for (std::size_t i = 0; i < std::min(max_considered, considered.size()); ++i) {
    const contract::Candidate& candidate = considered[i];
    summary.considered.push_back(
        {contract::to_string(candidate.tiling), candidate.seconds, bases[static_cast<std::size_t>(candidate.basis)]});
  }
  return summary;
}

contract::Plan plan(const PlanningServices& services, const contract::SizedExpression& expression, const contract::EinsumStrides& strides,
                    const PlanRequest& request, const RunContext& context) {
  require_row_order(expression, strides, request);
  return made_plan(expression, strides, machine_for(services, expression), plan_options(services, request, context), context);
}

ContractionResult run_contraction(const PlanningServices& services, const ContractionRequest& request, const RunContext& context) {
  if (!request.operands.empty() || !request.result.empty()) {
    return run_files(services, request, context);
  }
  const contract::SizedExpression expression = sized(request);
  const contract::EinsumStrides strides = strides_of(request);
  require_row_order(expression, strides, request.plan);
  const contract::PlanOptions options = plan_options(services, request.plan, context);
  if (!request.execute) {
    return planned(services, expression, strides, options, context);
  }
  const contract::EinsumTensors random(expression, strides, options);  // before planning, which lists every offset
  RunTensors tensors{{random.operands().begin(), random.operands().end()}, random.result()};
  const std::vector<int> firsts = first_of_each(options.tensors.size(), [&](std::size_t i, std::size_t j) {
    return options.tensors[i] >= 0 && options.tensors[i] == options.tensors[j];
  });
  for (std::size_t i = 0; i < firsts.size() && i < tensors.operands.size(); ++i) {
    tensors.operands[i] = tensors.operands[static_cast<std::size_t>(firsts[i])];
  }
  return executed(services, expression, strides, options, tensors, false, context);
}

contract::Plan plan(const Workbench& bench, const contract::SizedExpression& expression, const contract::EinsumStrides& strides,
                    const PlanRequest& request, const RunContext& context) {
  return plan(tools_of(bench, request), expression, strides, request, context);
}

contract::Plan plan(const Workbench& bench, std::string_view expression, const std::vector<std::vector<std::int64_t>>& shapes,
                    const PlanRequest& request, const RunContext& context) {
  return plan(bench, contract::with_shapes(contract::parse_expression(expression), shapes), {}, request, context);
}

ContractionResult run_contraction(const Workbench& bench, const ContractionRequest& request, const RunContext& context) {
  ContractionRequest shared = request;
  if (shared.plan.tiles) {
    shared.plan.tiles->threads = request.plan.threads;
  }
  PlanningServices services = tools_of(bench, request.plan);
  services.tell_noise = noise_from_now_on();
  return run_contraction(services, shared, context);
}

}  // namespace flopcast
