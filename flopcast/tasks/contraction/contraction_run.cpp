#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <numeric>
#include <span>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "flopcast/contract/algorithms/validate.hpp"
#include "flopcast/contract/notation/npy.hpp"
#include "flopcast/core/statistics.hpp"
#include "flopcast/machine/libraries/installed_libraries.hpp"
#include "flopcast/machine/libraries/library.hpp"
#include "flopcast/measure/memory.hpp"
#include "flopcast/support/error.hpp"
#include "flopcast/support/file.hpp"
#include "flopcast/support/stopwatch.hpp"
#include "flopcast/support/units.hpp"
#include "flopcast/tasks/contraction/contraction_tools.hpp"
#include "flopcast/workbench/workbench.hpp"

namespace flopcast {

using contract::Contraction;

namespace {

/// A's and B's shapes, and the names that messages give them.
struct NamedShape {
  std::string name;
  std::vector<std::int64_t> shape;
};

/// Returns the sizes of the indices of A and B.
contract::Extents extents_of(const contract::Notation& notation, const std::array<NamedShape, 2>& operands) {
  contract::Extents extents;
  const std::array<std::string, 2> indices = {notation.a, notation.b};
  for (std::size_t t = 0; t < operands.size(); ++t) {
    const auto& [name, shape] = operands[t];
    if (shape.size() != indices[t].size()) {
      throw bad_input("{} has {} dimensions, but {} of {} has {} indices", name, shape.size(), "AB"[t], contract::to_string(notation),
                      indices[t].size());
    }
    for (std::size_t i = 0; i < indices[t].size(); ++i) {
      const auto [known, is_new] = extents.emplace(indices[t][i], shape[i]);
      if (!is_new && known->second != shape[i]) {
        throw bad_input("index {} is {} long in {}, but {} in {}", indices[t][i], shape[i], name, known->second, operands[0].name);
      }
    }
  }
  return extents;
}

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

/// Fills in times, rate and summary.
ContractionRun finished(const contract::Plan& plan, Seconds planning_seconds, std::vector<Seconds> times) {
  const double rate = contract::flops(plan.contraction()) / median(times);
  return {plan.contraction(), summary(plan), planning_seconds, std::move(times), rate};
}

contract::Plan made_plan(const Contraction& contraction, const contract::Machine& machine, const contract::PlanOptions& options,
                         const RunContext& context) {
  contract::Plan plan = contract::plan(contraction, machine, options);
  context.throw_if_cancelled("nothing is kept of an unfinished choice");
  return plan;
}

void require_row_order(const Contraction& contraction, const PlanRequest& request) {
  if (request.tiles) {
    contract::require_row_order(*request.tiles, contraction);
  }
}

/// A plan that is to be executed, and the time that it took without the time for opening the machine.
struct Planned {
  contract::Plan plan;
  Seconds seconds = 0;
};

Planned planned(const PlanningTools& tools, const Contraction& contraction, const PlanRequest& request, const RunContext& context) {
  require_row_order(contraction, request);
  const contract::PlanOptions options = plan_options(tools, request, context);
  const contract::Machine machine = tools.machine();
  const Seconds begin = tools.now();
  Planned planned{made_plan(contraction, machine, options, context)};
  static_cast<void>(planned.plan.considered());  // prepares a stored choice, which the first execution would do otherwise
  planned.seconds = tools.now() - begin;
  note_what_is_dropped(planned.plan, request, context);
  return planned;
}

}  // namespace

contract::PlanOptions plan_options(const PlanningTools& tools, const PlanRequest& request, const RunContext& context) {
  contract::PlanOptions options;
  options.effort = request.effort;
  options.threads = request.threads;
  options.time_budget = request.time_budget;
  options.wisdom = tools.store();
  options.fresh = request.fresh;
  options.tiles = request.tiles;
  options.cancelled = context.cancelled;
  options.trials = tools.trials;
  return options;
}

void note_what_is_dropped(const contract::Plan& plan, const PlanRequest& request, const RunContext& context) {
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

void require_result_apart(std::span<const std::string> operands, const std::string& result) {
  for (const std::string& operand : operands) {
    if (std::error_code none; std::filesystem::equivalent(operand, result, none)) {
      throw bad_input("{} can't take the result, because it is the operand {}; name another file", result, operand);
    }
  }
}

void require_room_for_result(const std::vector<std::int64_t>& shape, Precision precision, const std::string& file) {
  constexpr double copies = 2;  // the elements, and the contents of the file
  const double needed = std::accumulate(shape.begin(), shape.end(), copies * static_cast<double>(element_bytes(precision)),
                                        [](double bytes, std::int64_t size) { return bytes * static_cast<double>(size); });
  if (const auto available = static_cast<double>(measure::available_memory_bytes()); needed > available) {
    throw environment_error("computing and writing {} needs {} of memory for its {} elements, but only {} are available", file,
                            format_bytes(needed), fmt::join(shape, " x "), format_bytes(available));
  }
}

std::vector<Seconds> times_of(const PlanningTools& tools, const RunContext& context, const std::function<void()>& execute,
                              const std::function<bool()>& is_undecided, Seconds budget) {
  constexpr std::size_t min_times = 3, max_times = 100;
  constexpr Seconds long_enough = 1;
  std::vector<Seconds> times;
  const Seconds start = tools.now();
  while (times.size() < min_times || (times.size() < max_times && tools.now() - start < long_enough) ||
         (is_undecided() && tools.now() - start < budget)) {
    context.throw_if_cancelled("plans that were measured are kept in the store");
    const Seconds one = tools.now();
    execute();
    times.push_back(tools.now() - one);
  }
  return times;
}

PlanningTools tools_of(const Workbench& bench, const PlanRequest& request) {
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
  const contract::Tiling& chosen = plan.considered().front().tiling;
  PlanSummary summary{plan.explain(),
                      plan.seconds(),
                      plan.workspace_bytes(),
                      {},
                      std::string(contract::to_string(chosen.order)),
                      contract::kept_operands(chosen),
                      plan.is_decided()};
  for (const contract::Candidate& candidate : plan.considered()) {
    if (summary.considered.size() < max_considered) {
      summary.considered.push_back(
          {contract::to_string(candidate.tiling), candidate.seconds, bases[static_cast<std::size_t>(candidate.basis)]});
    }
  }
  return summary;
}

contract::Plan plan(const PlanningTools& tools, const Contraction& contraction, const PlanRequest& request, const RunContext& context) {
  require_row_order(contraction, request);
  const contract::PlanOptions options = plan_options(tools, request, context);
  contract::Plan plan = made_plan(contraction, tools.machine(), options, context);
  note_what_is_dropped(plan, request, context);
  return plan;
}

ContractionRun run_contraction(const PlanningTools& tools, const Contraction& contraction, const PlanRequest& request,
                               const RunContext& context) {
  contract::require_memory(contraction);  // before planning, which lists every offset
  const Planned made = planned(tools, contraction, request, context);
  contract::Workspace tensors(contraction);
  const auto execute = [&] {
    made.plan.execute(tensors.tensor(contract::Operand::a), tensors.tensor(contract::Operand::b), tensors.tensor(contract::Operand::c));
  };
  return finished(made.plan, made.seconds,
                  times_of(
                      tools, context, execute, [&] { return !made.plan.is_decided(); }, request.time_budget));
}

ContractionRun contract_files(const PlanningTools& tools, const ContractFilesRequest& request, const RunContext& context) {
  require_result_apart(std::array{request.a, request.b}, request.c);
  require_writable(request.c);
  const contract::Notation notation = contract::parse_notation(request.notation);
  const contract::Array a = contract::parse_npy(read_file(request.a), request.a), b = contract::parse_npy(read_file(request.b), request.b);
  if (a.precision != b.precision) {
    throw bad_input("{} and {} have different types of elements; convert one of them", request.a, request.b);
  }
  note_special_numbers(a, request.a, context);
  note_special_numbers(b, request.b, context);
  const contract::Extents extents = extents_of(notation, {{{request.a, a.shape}, {request.b, b.shape}}});
  const Contraction contraction =
      contract::make_contraction(notation, extents, a.precision, contract::Order::row_major, {strides_of(a), strides_of(b), {}});
  contract::Array result{a.precision, contract::Order::row_major, {}, {}};
  for (const char index : notation.c) {
    result.shape.push_back(contraction.extent(index));
  }
  require_room_for_result(result.shape, result.precision, request.c);  // before planning, which lists every offset
  const auto [chosen, planning_seconds] = planned(tools, contraction, request.plan, context);
  result.elements.resize(static_cast<std::size_t>(contraction.elements(contract::Operand::c) * element_bytes(result.precision)));
  std::error_code none;
  const bool is_one_tensor = std::filesystem::equivalent(request.a, request.b, none);  // C may be symmetric
  if (is_one_tensor) {
    context.note(fmt::format("{} is A and B: they are taken for one tensor", request.a));
  }
  const Seconds start = tools.now();
  chosen.execute(a.elements.data(), is_one_tensor ? a.elements.data() : b.elements.data(), result.elements.data());
  const Seconds taken = tools.now() - start;
  context.throw_if_cancelled("nothing was written");
  write_file(request.c, contract::format_npy(result));
  return finished(chosen, planning_seconds, {taken});
}

contract::Plan plan(const Workbench& bench, const Contraction& contraction, const PlanRequest& request, const RunContext& context) {
  return plan(tools_of(bench, request), contraction, request, context);
}

ContractionRun run_contraction(const Workbench& bench, const Contraction& contraction, const PlanRequest& request,
                               const RunContext& context) {
  return run_contraction(tools_of(bench, request), contraction, request, context);
}

ContractionRun contract_files(const Workbench& bench, const ContractFilesRequest& request, const RunContext& context) {
  return contract_files(tools_of(bench, request.plan), request, context);
}

}  // namespace flopcast
