#include <algorithm>
#include <array>
#include <complex>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "flopcast/c/status.hpp"
#include "flopcast/c/workbench.hpp"
#include "flopcast/tasks/contraction/contraction.hpp"

/// A plan with the tools that its kernels come from.
struct flopcast_plan {
  std::shared_ptr<const flopcast::Workbench> tools;
  flopcast::contract::Plan plan;
  flopcast_type type;
};

namespace flopcast::c {
namespace {

constexpr int max_threads = 1024;
constexpr std::array<Precision, 4> precisions = {Precision::s, Precision::d, Precision::c, Precision::z};

PlanRequest request_of(flopcast_type type, const flopcast_plan_options* given) {
  constexpr std::array<contract::Effort, 3> efforts = {contract::Effort::estimate, contract::Effort::microbench, contract::Effort::measure};
  const auto options = given_options(given, "flopcast_plan_options");
  if (type < FLOPCAST_F32 || type > FLOPCAST_C64) {
    throw usage_error("type of the elements: {} given, expected FLOPCAST_F32, FLOPCAST_F64, FLOPCAST_C32 or FLOPCAST_C64",
                      static_cast<int>(type));
  }
  if (options.effort < FLOPCAST_ESTIMATE || options.effort > FLOPCAST_MEASURE) {
    throw usage_error("effort of a plan: {} given, expected FLOPCAST_ESTIMATE, FLOPCAST_MICROBENCH or FLOPCAST_MEASURE", options.effort);
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

/// Shapes and strides of A, B and C; an empty list of strides stands for a dense tensor.
struct Operands {
  std::array<std::vector<std::int64_t>, 3> shapes, strides;
};

/// Throws bad_input if an index of C has another size than in A or B.
void require_shape_of_result(const contract::Notation& notation, const Operands& operands) {
  const std::array<std::pair<const std::string*, const std::vector<std::int64_t>*>, 2> factors = {
      {{&notation.a, &operands.shapes[0]}, {&notation.b, &operands.shapes[1]}}};
  for (std::size_t i = 0; i < notation.c.size(); ++i) {
    for (const auto& [indices, shape] : factors) {
      const std::size_t at = indices->find(notation.c[i]);
      if (at != std::string::npos && (*shape)[at] != operands.shapes[2][i]) {
        throw bad_input("index {} is {} long in C, but {} in {}", notation.c[i], operands.shapes[2][i], (*shape)[at],
                        indices == &notation.a ? "A" : "B");
      }
    }
  }
}

/// Plans the contraction. Everything that this library knows about einsum's notation is here and in notation_of().
flopcast_plan* new_plan(flopcast_workbench& bench, const contract::Notation& notation, const Operands& operands, flopcast_type type,
                        PlanRequest request) {
  if (!operands.shapes[2].empty()) {
    require_shape_of_result(notation, operands);
  }
  request.strides = operands.strides;
  const std::scoped_lock lock(bench.in_use);
  contract::Plan plan =
      flopcast::plan(*bench.tools, contract::to_string(notation), operands.shapes[0], operands.shapes[1], request, bench.context);
  return new flopcast_plan{bench.tools, std::move(plan), type};
}

std::vector<std::int64_t> list_of(const std::int64_t* values, std::size_t count) {
  return values == nullptr ? std::vector<std::int64_t>() : std::vector<std::int64_t>(values, values + count);
}

/// Returns a tensor's shape, which must be given if it has any indices.
std::vector<std::int64_t> shape_of(const std::int64_t* shape, std::size_t rank, const char* name) {
  if (shape == nullptr && rank > 0) {
    throw usage_error("the shape of {} is a null pointer, expected {} sizes", name, rank);
  }
  return list_of(shape, rank);
}

/// Throws bad_input if the tensors have other numbers of dimensions than the notation has indices.
void require_ranks(const contract::Notation& notation, const flopcast_plan_options* given) {
  const std::int32_t* const ranks = given_options(given, "flopcast_plan_options").ranks;
  const std::array<std::size_t, 3> expected = {notation.a.size(), notation.b.size(), notation.c.size()};
  for (std::size_t t = 0; ranks != nullptr && t < expected.size(); ++t) {
    if (ranks[t] < 0 || static_cast<std::size_t>(ranks[t]) != expected[t]) {
      throw bad_input("{} has {}, but {} {} in {}", "ABC"[t], counted(std::max(ranks[t], 0), "dimension"), expected[t],
                      expected[t] == 1 ? "index" : "indices", contract::to_string(notation));
    }
  }
}

/// Gives numbered indices letters.
class Letters {
 public:
  std::string of(const flopcast_tensor& tensor, const char* name) {
    constexpr int max_rank = 64;
    if (tensor.rank < 0 || tensor.rank > max_rank) {
      throw usage_error("the rank of {} is {}, expected 0 to {}", name, tensor.rank, max_rank);
    }
    if (tensor.rank > 0 && tensor.labels == nullptr) {
      throw usage_error("the labels of {} are a null pointer, expected {} labels", name, tensor.rank);
    }
    std::string letters;
    for (std::int32_t i = 0; i < tensor.rank; ++i) {
      letters += letter(tensor.labels[i]);
    }
    return letters;
  }

 private:
  char letter(std::int32_t label) {
    constexpr std::string_view all = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    const auto known = letters_.find(label);
    if (known != letters_.end()) {
      return known->second;
    }
    if (letters_.size() == all.size()) {
      throw bad_input("the tensors have more than {} indices", all.size());
    }
    return letters_.emplace(label, all[letters_.size()]).first->second;
  }

  std::map<std::int32_t, char> letters_;
};

/// Returns the notation of tensors with numbered indices, as the parser of texts checks it.
contract::Notation notation_of(const flopcast_tensor& a, const flopcast_tensor& b, const flopcast_tensor& c) {
  Letters letters;
  const std::string of_a = letters.of(a, "A"), of_b = letters.of(b, "B"), of_c = letters.of(c, "C");
  return contract::parse_notation(of_a + ',' + of_b + "->" + of_c);
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
    const auto indices = flopcast::contract::parse_notation(&required(notation, "notation"));
    require_ranks(indices, options);
    const Operands operands = {
        {shape_of(shape_a, indices.a.size(), "A"), shape_of(shape_b, indices.b.size(), "B"), list_of(shape_c, indices.c.size())},
        {list_of(strides_a, indices.a.size()), list_of(strides_b, indices.b.size()), list_of(strides_c, indices.c.size())}};
    made = new_plan(used, indices, operands, type, request_of(type, options));
  });
}

flopcast_status flopcast_plan_from_strides(flopcast_plan** plan, flopcast_workbench* bench, flopcast_type type, const flopcast_tensor* a,
                                           const flopcast_tensor* b, const flopcast_tensor* c, const flopcast_plan_options* options) {
  using namespace flopcast::c;
  return guarded([&] {
    flopcast_plan*& made = required(plan, "plan");
    flopcast_workbench& used = required(bench, "bench");
    const auto notation = notation_of(required(a, "a"), required(b, "b"), required(c, "c"));
    Operands operands;
    const std::array<std::pair<const flopcast_tensor*, const char*>, 3> tensors = {{{a, "A"}, {b, "B"}, {c, "C"}}};
    for (std::size_t t = 0; t < tensors.size(); ++t) {
      const auto rank = static_cast<std::size_t>(tensors[t].first->rank);
      operands.shapes[t] = shape_of(tensors[t].first->extents, rank, tensors[t].second);
      operands.strides[t] = list_of(tensors[t].first->strides, rank);
    }
    made = new_plan(used, notation, operands, type, request_of(type, options));
  });
}

flopcast_status flopcast_execute(const flopcast_plan* plan, const void* alpha, const void* a, const void* b, const void* beta, void* c) {
  using namespace flopcast::c;
  return guarded([&] {
    const flopcast_plan& used = required(plan, "plan");
    used.plan.execute(a, b, c, factor(used.type, alpha, 1), factor(used.type, beta, 0));
  });
}

flopcast_status flopcast_plan_seconds(const flopcast_plan* plan, double* seconds) {
  using namespace flopcast::c;
  return guarded([&] {
    double& result = required(seconds, "seconds");
    result = required(plan, "plan").plan.seconds();
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
