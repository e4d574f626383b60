#include "flopcast/c/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "flopcast/c/status.hpp"
#include "flopcast/c/workbench.hpp"
#include "flopcast/contract/notation/element.hpp"
#include "flopcast/support/error.hpp"
#include "flopcast/support/units.hpp"
#include "flopcast/tasks/contraction/contraction.hpp"

namespace flopcast::c {
namespace {

PlanRequest request_of(flopcast_type type, const flopcast_plan_options& options) {
  if (type < FLOPCAST_F32 || type > FLOPCAST_C64) {
    throw usage_error("type of the elements: {} given, expected FLOPCAST_F32, FLOPCAST_F64, FLOPCAST_C32 or FLOPCAST_C64",
                      static_cast<int>(type));
  }
  if (options.effort < FLOPCAST_ESTIMATE || options.effort > FLOPCAST_INCREMENTAL) {
    throw usage_error(
        "effort of a plan: {} given, expected FLOPCAST_ESTIMATE, FLOPCAST_MICROBENCH, FLOPCAST_MEASURE or FLOPCAST_INCREMENTAL",
        options.effort);
  }
  if (options.order != FLOPCAST_ROW_MAJOR && options.order != FLOPCAST_COLUMN_MAJOR) {
    throw usage_error("order of a plan: {} given, expected FLOPCAST_ROW_MAJOR or FLOPCAST_COLUMN_MAJOR", options.order);
  }
  if (options.threads < 0 || options.threads > max_threads) {
    throw usage_error("threads of a plan: {} given, expected 1 to {}", options.threads, max_threads);
  }
  if (!(options.time_budget >= 0)) {
    throw usage_error("time budget of a plan: {} s given, expected 0 (the default) or more", options.time_budget);
  }
  PlanRequest request;
  request.precision = contract::numbered_precisions[static_cast<std::size_t>(type)];
  request.effort = static_cast<contract::Effort>(options.effort);
  request.order = options.order == FLOPCAST_ROW_MAJOR ? contract::Order::row_major : contract::Order::column_major;
  request.threads = std::max(options.threads, 1);
  if (options.time_budget > 0) {
    request.time_budget = options.time_budget;
  }
  request.fresh = options.fresh != 0;
  if (!(options.max_bytes >= 0)) {
    throw usage_error("max_bytes of a plan: {} given, expected 0 (the default) or more", options.max_bytes);
  }
  if (options.max_bytes > 0) {
    request.max_bytes = options.max_bytes;
  }
  return request;
}

/// Shapes and strides of the operands and the result; an empty list of strides stands for a dense tensor.
struct PlanTensors {
  std::vector<std::vector<std::int64_t>> shapes;  ///< the shape of each operand
  contract::EinsumStrides strides;
  std::optional<std::vector<std::int64_t>> result;  ///< shape of the result, to be checked
};

std::vector<std::int64_t> list_of(const std::int64_t* values, std::size_t count) {
  return values == nullptr ? std::vector<std::int64_t>() : std::vector<std::int64_t>(values, values + count);
}

/// Returns a tensor's shape, which must be given if it has any dimensions.
std::vector<std::int64_t> shape_of(const std::int64_t* shape, std::size_t rank, const std::string& name) {
  if (shape == nullptr && rank > 0) {
    throw usage_error("the shape of {} is a null pointer, expected {} sizes", name, rank);
  }
  return list_of(shape, rank);
}

/// Throws bad_input if the result's shape isn't that of the expression.
void require_shape_of_result(const contract::SizedExpression& expression, const std::vector<std::int64_t>& shape) {
  for (std::size_t i = 0; i < shape.size(); ++i) {
    const contract::Label label = expression.result.labels[i];
    if (shape[i] != expression.extent(label)) {
      throw bad_input("index {} is {} long in C, but {} in the operands of {}", contract::name_of(expression.expression, label), shape[i],
                      expression.extent(label), contract::to_string(expression.expression));
    }
  }
}

flopcast_plan* new_plan(flopcast_workbench& bench, const contract::SizedExpression& expression, PlanTensors tensors, flopcast_type type,
                        const flopcast_plan_options* given) {
  const auto options = given_options(given, "flopcast_plan_options");
  PlanRequest request = request_of(type, options);
  if (tensors.result) {
    require_shape_of_result(expression, *tensors.result);
  }
  if (options.addend != nullptr) {
    tensors.strides.addend = list_of(options.addend->strides, expression.result.labels.size());
    tensors.strides.conjugated_addend = options.addend->conjugated != 0;
  }
  const std::size_t operands = expression.operands.size();
  if (options.tensors != nullptr) {
    request.tensors.assign(options.tensors, options.tensors + operands);
  }
  const auto turn = turn_of(bench);
  contract::Plan plan = bench.has_libraries ? bench.services.plan(expression, tensors.strides, request)
                                            : contract::plan(expression, tensors.strides, {}, request);
  return new flopcast_plan{bench.has_libraries ? bench.services.for_threads(request.threads) : nullptr, std::move(plan), request.precision,
                           operands};
}

/// Returns the name of operand `t` of `count` in messages: A or B, or the number of one of many.
std::string name_of(std::size_t t, std::size_t count) {
  constexpr std::size_t few = 2;
  return count <= few ? std::string(1, "AB"[t]) : fmt::format("operand {}", t + 1);
}

/// Returns the number of dimensions of operand `t`. Throws bad_input if the notation doesn't suit it, usage_error if nobody says it.
std::size_t rank_of(const contract::Expression& expression, std::size_t t, const std::int32_t* ranks) {
  const contract::Subscripts& operand = expression.operands[t];
  const std::size_t labels = operand.labels.size();
  const std::string name = name_of(t, expression.operands.size());
  if (ranks == nullptr) {
    if (operand.ellipsis) {
      throw usage_error("the indices of {} contain '...' in {}, so that options.ranks must have the numbers of dimensions", name,
                        contract::to_string(expression));
    }
    return labels;
  }
  const std::int32_t rank = std::max(ranks[t], 0);
  const auto count = static_cast<std::size_t>(rank);
  if (ranks[t] != rank || count < labels || (count > labels && !operand.ellipsis)) {
    throw bad_input("{} has {}, but {} {} in {}", name, counted(rank, "dimension"), labels, labels == 1 ? "index" : "indices",
                    contract::to_string(expression));
  }
  return count;
}

/// Returns the labels of a tensor with numbered indices.
contract::Subscripts subscripts_of(const flopcast_tensor& tensor, const std::string& name) {
  constexpr int max_rank = 1024;
  if (tensor.rank < 0 || tensor.rank > max_rank) {
    throw usage_error("the rank of {} is {}, expected 0 to {}", name, tensor.rank, max_rank);
  }
  if (tensor.rank > 0 && tensor.labels == nullptr) {
    throw usage_error("the labels of {} are a null pointer, expected {} labels", name, tensor.rank);
  }
  contract::Subscripts subscripts;
  subscripts.labels.assign(tensor.labels, tensor.labels + tensor.rank);
  subscripts.conjugated = tensor.conjugated != 0;
  return subscripts;
}

/// Returns whether all labels of a tensor are ASCII letters.
bool are_letters(const contract::Subscripts& subscripts) {
  return std::ranges::all_of(subscripts.labels,
                             [](contract::Label label) { return (label >= 'a' && label <= 'z') || (label >= 'A' && label <= 'Z'); });
}

/// Plans an expression in letters. `shapes` and `strides` have one element per operand.
flopcast_plan* plan_in_letters(flopcast_workbench& bench, const contract::Expression& expression, flopcast_type type,
                               const std::int64_t* const* shapes, const std::int64_t* const* strides, const std::int64_t* result_shape,
                               const std::int64_t* result_strides, const flopcast_plan_options* options) {
  const std::int32_t* const ranks = given_options(options, "flopcast_plan_options").ranks;
  const std::size_t count = expression.operands.size();
  PlanTensors tensors;
  for (std::size_t t = 0; t < count; ++t) {
    const std::size_t rank = rank_of(expression, t, ranks);
    tensors.shapes.push_back(shape_of(shapes[t], rank, name_of(t, count)));
    tensors.strides.operands.push_back(list_of(strides == nullptr ? nullptr : strides[t], rank));
  }
  const contract::SizedExpression sized = contract::with_shapes(expression, tensors.shapes);
  const std::size_t rank = sized.result.labels.size();
  if (ranks != nullptr && (ranks[count] < 0 || static_cast<std::size_t>(ranks[count]) != rank)) {
    throw bad_input("C has {}, but the result of {} has {}", counted(std::max(ranks[count], 0), "dimension"),
                    contract::to_string(expression), rank);
  }
  if (result_shape != nullptr) {
    tensors.result = list_of(result_shape, rank);
  }
  tensors.strides.result = list_of(result_strides, rank);
  return new_plan(bench, sized, std::move(tensors), type, options);
}

/// Plans an expression of tensors whose indices have numbers.
flopcast_plan* plan_in_numbers(flopcast_workbench& bench, flopcast_type type, std::span<const flopcast_tensor> operands,
                               const flopcast_tensor& result, const flopcast_plan_options* options) {
  std::vector<contract::Subscripts> subscripts;
  PlanTensors tensors;
  for (std::size_t t = 0; t < operands.size(); ++t) {
    const flopcast_tensor& tensor = operands[t];
    const std::string name = name_of(t, operands.size());
    subscripts.push_back(subscripts_of(tensor, name));
    tensors.shapes.push_back(shape_of(tensor.extents, subscripts.back().labels.size(), name));
    tensors.strides.operands.push_back(list_of(tensor.strides, subscripts.back().labels.size()));
  }
  contract::Expression expression = contract::make_expression(std::move(subscripts), subscripts_of(result, "C"));
  expression.has_letters = are_letters(expression.result) && std::ranges::all_of(expression.operands, are_letters);
  const std::size_t rank = expression.result.labels.size();
  tensors.result = shape_of(result.extents, rank, "C");
  tensors.strides.result = list_of(result.strides, rank);
  const contract::SizedExpression sized = contract::with_shapes(expression, tensors.shapes);
  return new_plan(bench, sized, std::move(tensors), type, options);
}

}  // namespace

flopcast_type type_of(Precision precision) {
  return static_cast<flopcast_type>(std::ranges::find(contract::numbered_precisions, precision) - contract::numbered_precisions.begin());
}

flopcast_plan_options options_of(const PlanRequest& request) {
  contract::require_possible_threads(request.threads);
  if (!(request.time_budget >= 0)) {
    throw bad_input("time budget of a plan: {} s given, expected 0 or more", static_cast<Seconds>(request.time_budget));
  }
  constexpr double not_default = std::numeric_limits<double>::min();  // nearly 0, which would stand for the default
  flopcast_plan_options options = FLOPCAST_PLAN_OPTIONS;
  options.effort = static_cast<std::int32_t>(request.effort);
  options.order = request.order == contract::Order::row_major ? FLOPCAST_ROW_MAJOR : FLOPCAST_COLUMN_MAJOR;
  options.threads = request.threads;
  options.fresh = request.fresh ? 1 : 0;
  options.time_budget = std::max<double>(request.time_budget, not_default);
  options.max_bytes = std::max<double>(request.max_bytes, not_default);
  options.tensors = request.tensors.empty() ? nullptr : request.tensors.data();
  return options;
}

bool OwnedPlan::is_zero(const void* number) const { return contract::number_at(plan_->precision, number, 0) == 0.0; }

}  // namespace flopcast::c

flopcast_status flopcast_plan_einsum(flopcast_plan** plan, flopcast_workbench* bench, const char* notation, flopcast_type type,
                                     int32_t count, const int64_t* const* shapes, const int64_t* const* strides,
                                     const int64_t* result_shape, const int64_t* result_strides, const flopcast_plan_options* options) {
  using namespace flopcast::c;
  return guarded([&] {
    flopcast_plan*& made = required(plan, "plan");
    flopcast_workbench& used = required(bench, "bench");
    const auto expression = flopcast::contract::parse_expression(&required(notation, "notation"));
    if (count < 0 || static_cast<std::size_t>(count) != expression.operands.size()) {
      throw flopcast::bad_input("'{}' has {}, but {} given", notation, flopcast::counted(expression.operands.size(), "operand"),
                                count == 1 ? "1 is" : fmt::format("{} are", count));
    }
    made = plan_in_letters(used, expression, type, &required(shapes, "shapes"), strides, result_shape, result_strides, options);
  });
}

flopcast_status flopcast_plan_from_labels(flopcast_plan** plan, flopcast_workbench* bench, flopcast_type type, int32_t count,
                                          const flopcast_tensor* operands, const flopcast_tensor* result,
                                          const flopcast_plan_options* options) {
  using namespace flopcast::c;
  return guarded([&] {
    flopcast_plan*& made = required(plan, "plan");
    flopcast_workbench& used = required(bench, "bench");
    if (count < 1) {
      throw flopcast::usage_error("count of operands: {} given, expected 1 or more", count);
    }
    made = plan_in_numbers(used, type, {&required(operands, "operands"), static_cast<std::size_t>(count)}, required(result, "result"),
                           options);
  });
}

flopcast_status flopcast_execute(const flopcast_plan* plan, const void* alpha, int32_t count, const void* const* operands, const void* beta,
                                 const void* c, void* d) {
  using namespace flopcast::c;
  return guarded([&] {
    const flopcast_plan& used = required(plan, "plan");
    if (count < 0 || static_cast<std::size_t>(count) != used.operands) {
      throw flopcast::bad_input("the plan has {} operands, but {} addresses are given", used.operands, count);
    }
    used.plan.execute(std::span(&required(operands, "operands"), used.operands), c, d,
                      flopcast::contract::number_at(used.precision, alpha, 1), flopcast::contract::number_at(used.precision, beta, 0));
  });
}

flopcast_status flopcast_plan_seconds(const flopcast_plan* plan, double* seconds) {
  using namespace flopcast::c;
  return guarded([&] {
    double& result = required(seconds, "seconds");
    result = required(plan, "plan").plan.seconds();
  });
}

flopcast_status flopcast_plan_decided(const flopcast_plan* plan, int32_t* decided) {
  using namespace flopcast::c;
  return guarded([&] {
    int32_t& result = required(decided, "decided");
    result = required(plan, "plan").plan.is_decided() ? 1 : 0;
  });
}

flopcast_status flopcast_plan_explain(const flopcast_plan* plan, char** text) {
  using namespace flopcast::c;
  return guarded([&] {
    char*& result = required(text, "text");
    result = new_text(required(plan, "plan").plan.explain());
  });
}

void flopcast_plan_destroy(flopcast_plan* plan) { delete plan; }
