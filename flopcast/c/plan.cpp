#include <algorithm>
#include <array>
#include <complex>
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
  flopcast::contract::EinsumPlan plan;
  flopcast_type type;
};

namespace flopcast::c {
namespace {

constexpr int max_threads = 1024;
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
std::vector<std::int64_t> shape_of(const std::int64_t* shape, std::size_t rank, char name) {
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
  const std::scoped_lock lock(bench.in_use);
  contract::EinsumPlan plan = plan_einsum(*bench.tools, expression, tensors.strides, request, bench.context);
  return new flopcast_plan{bench.tools, std::move(plan), type};
}

/// Returns the expression if the C library can plan it. Throws bad_input for more operands than flopcast_execute() has arguments.
contract::Expression parsed(const char* notation) {
  contract::Expression expression = contract::parse_expression(notation);
  if (expression.operands.size() > 2) {
    throw bad_input("'{}' has {} operands, expected one or two", notation, expression.operands.size());
  }
  return expression;
}

/// Returns the number of dimensions of operand `t`. Throws bad_input if the notation doesn't suit it, usage_error if nobody says it.
std::size_t rank_of(const contract::Expression& expression, std::size_t t, const std::int32_t* ranks) {
  const contract::Subscripts& operand = expression.operands[t];
  const std::size_t labels = operand.labels.size();
  if (ranks == nullptr) {
    if (operand.ellipsis) {
      throw usage_error("the indices of {} contain '...' in {}, so that options.ranks must have the numbers of dimensions", "AB"[t],
                        contract::to_string(expression));
    }
    return labels;
  }
  const std::int32_t rank = std::max(ranks[t], 0);
  const auto count = static_cast<std::size_t>(rank);
  if (ranks[t] != rank || count < labels || (count > labels && !operand.ellipsis)) {
    throw bad_input("{} has {}, but {} {} in {}", "AB"[t], counted(rank, "dimension"), labels, labels == 1 ? "index" : "indices",
                    contract::to_string(expression));
  }
  return count;
}

/// Returns the labels of a tensor with numbered indices.
contract::Subscripts subscripts_of(const flopcast_tensor& tensor, char name) {
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
    const auto expression = parsed(&required(notation, "notation"));
    const std::int32_t* const ranks = given_options(options, "flopcast_plan_options").ranks;
    Tensors tensors;
    const std::array<std::pair<const std::int64_t*, const std::int64_t*>, 2> given = {{{shape_a, strides_a}, {shape_b, strides_b}}};
    for (std::size_t t = 0; t < expression.operands.size(); ++t) {
      const std::size_t rank = rank_of(expression, t, ranks);
      tensors.shapes.push_back(shape_of(given[t].first, rank, "AB"[t]));
      tensors.strides.operands.push_back(list_of(given[t].second, rank));
    }
    const auto sized = flopcast::contract::with_shapes(expression, tensors.shapes);
    const std::size_t rank = sized.result.labels.size();
    if (ranks != nullptr && (ranks[2] < 0 || static_cast<std::size_t>(ranks[2]) != rank)) {
      throw flopcast::bad_input("C has {}, but the result of {} has {}", flopcast::counted(std::max(ranks[2], 0), "dimension"),
                                flopcast::contract::to_string(expression), rank);
    }
    if (shape_c != nullptr) {
      tensors.result = list_of(shape_c, rank);
    }
    tensors.strides.result = list_of(strides_c, rank);
    made = new_plan(used, sized, tensors, type, request_of(type, options));
  });
}

flopcast_status flopcast_plan_from_strides(flopcast_plan** plan, flopcast_workbench* bench, flopcast_type type, const flopcast_tensor* a,
                                           const flopcast_tensor* b, const flopcast_tensor* c, const flopcast_plan_options* options) {
  using namespace flopcast::c;
  return guarded([&] {
    flopcast_plan*& made = required(plan, "plan");
    flopcast_workbench& used = required(bench, "bench");
    std::vector<flopcast::contract::Subscripts> operands;
    Tensors tensors;
    const auto add = [&](const flopcast_tensor& tensor, char name) {
      operands.push_back(subscripts_of(tensor, name));
      tensors.shapes.push_back(shape_of(tensor.extents, operands.back().labels.size(), name));
      tensors.strides.operands.push_back(list_of(tensor.strides, operands.back().labels.size()));
    };
    add(required(a, "a"), 'A');
    if (b != nullptr) {
      add(*b, 'B');
    }
    const flopcast_tensor& result = required(c, "c");
    const auto expression = flopcast::contract::make_expression(std::move(operands), subscripts_of(result, 'C'));
    const std::size_t rank = expression.result.labels.size();
    tensors.result = shape_of(result.extents, rank, 'C');
    tensors.strides.result = list_of(result.strides, rank);
    made = new_plan(used, flopcast::contract::with_shapes(expression, tensors.shapes), tensors, type, request_of(type, options));
  });
}

flopcast_status flopcast_execute_apart(const flopcast_plan* plan, const void* alpha, const void* a, const void* b, const void* beta,
                                       const void* c, void* d) {
  using namespace flopcast::c;
  return guarded([&] {
    const flopcast_plan& used = required(plan, "plan");
    const std::array<const void*, 2> operands = {a, b};
    used.plan.execute(std::span(operands).first(used.plan.expression().operands.size()), c, d, factor(used.type, alpha, 1),
                      factor(used.type, beta, 0));
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
