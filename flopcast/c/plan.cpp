#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <complex>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "flopcast/c/status.hpp"
#include "flopcast/c/workbench.hpp"
#include "flopcast/support/error.hpp"
#include "flopcast/support/units.hpp"
#include "flopcast/tasks/contraction/einsum.hpp"

/// A plan with the tools that its kernels come from.
struct flopcast_plan {
  std::shared_ptr<const flopcast::Workbench> tools;
  flopcast::contract::ExpressionPlan plan;
  flopcast_type type;
  std::size_t operands;
};

namespace flopcast::c {
namespace {

constexpr int max_threads = 1024;
constexpr std::size_t max_pair = 2;  // operands of the functions that have an argument for each
constexpr std::array<Precision, 4> precisions = {Precision::s, Precision::d, Precision::c, Precision::z};

PlanRequest request_of(flopcast_type type, const flopcast_plan_options* given) {
  constexpr std::array<contract::Effort, 4> efforts = {contract::Effort::estimate, contract::Effort::microbench, contract::Effort::measure,
                                                       contract::Effort::incremental};
  const auto options = given_options(given, "flopcast_plan_options");
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
  request.precision = precisions[static_cast<std::size_t>(type)];
  request.effort = efforts[static_cast<std::size_t>(options.effort)];
  request.order = options.order == FLOPCAST_ROW_MAJOR ? contract::Order::row_major : contract::Order::column_major;
  request.threads = std::max(options.threads, 1);
  request.time_budget = options.time_budget > 0 ? options.time_budget : request.time_budget;
  request.fresh = options.fresh != 0;
  if (!(options.max_bytes >= 0)) {
    throw usage_error("max_bytes of a plan: {} given, expected 0 (the default) or more", options.max_bytes);
  }
  request.max_bytes = options.max_bytes > 0 ? options.max_bytes : request.max_bytes;
  return request;
}

/// Shapes and strides of the operands and the result; an empty list of strides stands for a dense tensor.
struct Tensors {
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

flopcast_plan* new_plan(flopcast_workbench& bench, const contract::SizedExpression& expression, const Tensors& tensors, flopcast_type type,
                        const PlanRequest& request) {
  if (tensors.result) {
    require_shape_of_result(expression, *tensors.result);
  }
  const auto turn = turn_of(bench);
  const std::shared_ptr<const Workbench>& tools = bench.tools.for_threads(request.threads);
  contract::ExpressionPlan plan = plan_expression(*tools, expression, tensors.strides, request, bench.context);
  return new flopcast_plan{tools, std::move(plan), type, expression.operands.size()};
}

/// Returns the name of operand `t` of `count` in messages: A or B, or the number of one of many.
std::string name_of(std::size_t t, std::size_t count) {
  return count <= max_pair ? std::string(1, "AB"[t]) : fmt::format("operand {}", t + 1);
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
  constexpr int max_rank = 64;
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

/// Plans an expression in letters. `shapes` and `strides` have one element per operand.
flopcast_plan* plan_in_letters(flopcast_workbench& bench, const contract::Expression& expression, flopcast_type type,
                               const std::int64_t* const* shapes, const std::int64_t* const* strides, const std::int64_t* result_shape,
                               const std::int64_t* result_strides, const flopcast_plan_options* options) {
  const std::int32_t* const ranks = given_options(options, "flopcast_plan_options").ranks;
  const std::size_t count = expression.operands.size();
  Tensors tensors;
  for (std::size_t t = 0; t < count; ++t) {
    const std::size_t rank = rank_of(expression, t, ranks);
    tensors.shapes.push_back(shape_of(shapes[t], rank, name_of(t, count)));
    tensors.strides.operands.push_back(list_of(strides == nullptr ? nullptr : strides[t], rank));
  }
  const contract::SizedExpression sized = contract::with_shapes(expression, tensors.shapes);
  const std::size_t rank = sized.result.labels.size();
  const std::size_t last = std::max(count, max_pair);  // C stands behind A and B, also if there is no B
  if (ranks != nullptr && (ranks[last] < 0 || static_cast<std::size_t>(ranks[last]) != rank)) {
    throw bad_input("C has {}, but the result of {} has {}", counted(std::max(ranks[last], 0), "dimension"),
                    contract::to_string(expression), rank);
  }
  if (result_shape != nullptr) {
    tensors.result = list_of(result_shape, rank);
  }
  tensors.strides.result = list_of(result_strides, rank);
  return new_plan(bench, sized, tensors, type, request_of(type, options));
}

/// Plans an expression of tensors whose indices have numbers.
flopcast_plan* plan_in_numbers(flopcast_workbench& bench, flopcast_type type, std::span<const flopcast_tensor* const> operands,
                               const flopcast_tensor& result, const flopcast_plan_options* options) {
  std::vector<contract::Subscripts> subscripts;
  Tensors tensors;
  for (std::size_t t = 0; t < operands.size(); ++t) {
    const flopcast_tensor& tensor = *operands[t];
    const std::string name = name_of(t, operands.size());
    subscripts.push_back(subscripts_of(tensor, name));
    tensors.shapes.push_back(shape_of(tensor.extents, subscripts.back().labels.size(), name));
    tensors.strides.operands.push_back(list_of(tensor.strides, subscripts.back().labels.size()));
  }
  const contract::Expression expression = contract::make_expression(std::move(subscripts), subscripts_of(result, "C"));
  const std::size_t rank = expression.result.labels.size();
  tensors.result = shape_of(result.extents, rank, "C");
  tensors.strides.result = list_of(result.strides, rank);
  return new_plan(bench, contract::with_shapes(expression, tensors.shapes), tensors, type, request_of(type, options));
}

template <class Number>
std::complex<double> number(const void* value) {
  const Number read = *static_cast<const Number*>(value);
  if constexpr (std::is_floating_point_v<Number>) {
    return static_cast<double>(read);
  } else {
    return {static_cast<double>(read.real()), static_cast<double>(read.imag())};
  }
}

/// Returns the number of the plan's type at `value`, `otherwise` for a null pointer.
std::complex<double> factor(flopcast_type type, const void* value, double otherwise) {
  if (value == nullptr) {
    return otherwise;
  }
  switch (type) {
    case FLOPCAST_F32: return number<float>(value);
    case FLOPCAST_F64: return number<double>(value);
    case FLOPCAST_C32: return number<std::complex<float>>(value);
    default: return number<std::complex<double>>(value);
  }
}

}  // namespace
}  // namespace flopcast::c

flopcast_status flopcast_plan_einsum(flopcast_plan** plan, flopcast_workbench* bench, const char* notation, flopcast_type type,
                                     const int64_t* shape_a, const int64_t* strides_a, const int64_t* shape_b, const int64_t* strides_b,
                                     const int64_t* shape_c, const int64_t* strides_c, const flopcast_plan_options* options) {
  using namespace flopcast::c;
  return guarded([&] {
    flopcast_plan*& made = required(plan, "plan");
    flopcast_workbench& used = required(bench, "bench");
    const auto expression = flopcast::contract::parse_expression(&required(notation, "notation"));
    if (expression.operands.size() > max_pair) {
      throw flopcast::bad_input("'{}' has {} operands, expected one or two; flopcast_plan_einsum_many() takes any number", notation,
                                expression.operands.size());
    }
    const std::array<const std::int64_t*, max_pair> shapes = {shape_a, shape_b}, strides = {strides_a, strides_b};
    made = plan_in_letters(used, expression, type, shapes.data(), strides.data(), shape_c, strides_c, options);
  });
}

flopcast_status flopcast_plan_einsum_many(flopcast_plan** plan, flopcast_workbench* bench, const char* notation, flopcast_type type,
                                          int32_t count, const int64_t* const* shapes, const int64_t* const* strides,
                                          const int64_t* result_shape, const int64_t* result_strides,
                                          const flopcast_plan_options* options) {
  using namespace flopcast::c;
  return guarded([&] {
    flopcast_plan*& made = required(plan, "plan");
    flopcast_workbench& used = required(bench, "bench");
    const auto expression = flopcast::contract::parse_expression(&required(notation, "notation"));
    if (count < 0 || static_cast<std::size_t>(count) != expression.operands.size()) {
      throw flopcast::bad_input("'{}' has {} operands, but {} are given", notation, expression.operands.size(), count);
    }
    made = plan_in_letters(used, expression, type, &required(shapes, "shapes"), strides, result_shape, result_strides, options);
  });
}

flopcast_status flopcast_plan_from_strides(flopcast_plan** plan, flopcast_workbench* bench, flopcast_type type, const flopcast_tensor* a,
                                           const flopcast_tensor* b, const flopcast_tensor* c, const flopcast_plan_options* options) {
  using namespace flopcast::c;
  return guarded([&] {
    flopcast_plan*& made = required(plan, "plan");
    flopcast_workbench& used = required(bench, "bench");
    const std::array<const flopcast_tensor*, max_pair> operands = {&required(a, "a"), b};
    made = plan_in_numbers(used, type, std::span(operands).first(b == nullptr ? 1 : 2), required(c, "c"), options);
  });
}

flopcast_status flopcast_plan_from_strides_many(flopcast_plan** plan, flopcast_workbench* bench, flopcast_type type, int32_t count,
                                                const flopcast_tensor* operands, const flopcast_tensor* result,
                                                const flopcast_plan_options* options) {
  using namespace flopcast::c;
  return guarded([&] {
    flopcast_plan*& made = required(plan, "plan");
    flopcast_workbench& used = required(bench, "bench");
    if (count < 1) {
      throw flopcast::usage_error("count of operands: {} given, expected 1 or more", count);
    }
    const flopcast_tensor* const first = &required(operands, "operands");
    std::vector<const flopcast_tensor*> all;
    for (std::int32_t i = 0; i < count; ++i) {
      all.push_back(first + i);
    }
    made = plan_in_numbers(used, type, all, required(result, "result"), options);
  });
}

flopcast_status flopcast_execute_many(const flopcast_plan* plan, const void* alpha, int32_t count, const void* const* operands,
                                      const void* beta, const void* c, void* d) {
  using namespace flopcast::c;
  return guarded([&] {
    const flopcast_plan& used = required(plan, "plan");
    if (count < 0 || static_cast<std::size_t>(count) != used.operands) {
      throw flopcast::bad_input("the plan has {} operands, but {} addresses are given", used.operands, count);
    }
    used.plan.execute(std::span(&required(operands, "operands"), used.operands), c, d, factor(used.type, alpha, 1),
                      factor(used.type, beta, 0));
  });
}

flopcast_status flopcast_execute_apart(const flopcast_plan* plan, const void* alpha, const void* a, const void* b, const void* beta,
                                       const void* c, void* d) {
  using namespace flopcast::c;
  return guarded([&] {
    const flopcast_plan& used = required(plan, "plan");
    if (used.operands > max_pair) {
      throw flopcast::usage_error("the plan has {} operands, but two addresses are given; flopcast_execute_many() takes all of them",
                                  used.operands);
    }
    const std::array<const void*, max_pair> operands = {a, b};
    used.plan.execute(std::span(operands).first(used.operands), c, d, factor(used.type, alpha, 1), factor(used.type, beta, 0));
  });
}

flopcast_status flopcast_execute(const flopcast_plan* plan, const void* alpha, const void* a, const void* b, const void* beta, void* c) {
  return flopcast_execute_apart(plan, alpha, a, b, beta, c, c);
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
