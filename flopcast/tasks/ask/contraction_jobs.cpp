#include <array>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "flopcast/contract/einsum/named_strides.hpp"
#include "flopcast/support/error.hpp"
#include "flopcast/tasks/ask/job.hpp"
#include "flopcast/tasks/contraction/contraction.hpp"
#include "flopcast/tasks/contraction/einsum.hpp"

namespace flopcast {
namespace {

/// A contraction of tensors with given sizes.
struct ContractionQuestion {
  std::string notation;
  std::map<std::string, std::int64_t> sizes;
  std::map<std::string, std::vector<std::int64_t>> strides;
  std::string precision = "d";
  contract::Order order = contract::Order::row_major;
};

/// The way in which it is planned.
struct PlanningQuestion {
  contract::Effort effort = contract::Effort::estimate;
  int threads = 1;
  Seconds time_budget = PlanRequest().time_budget;
  bool fresh = false;
  std::string tiles;
};

struct PlanQuestion {
  ContractionQuestion contraction;
  PlanningQuestion planning;
};

struct FilesQuestion {
  std::string notation, a, b, c;
  PlanningQuestion planning;
};

struct RankAlgorithmsQuestion {
  ContractionQuestion contraction;
  std::vector<std::string> kernels;
  std::string algorithm;
  bool all = false;
  std::string stage = "segments";
  std::int64_t repetitions = RankAlgorithmsRequest().repetitions, prefetched_lines = RankAlgorithmsRequest().prefetched_lines;
  bool validate = false, fresh = false;
};

struct ListQuestion {
  ContractionQuestion contraction;
  std::vector<std::string> kernels;
};

/// An expression of tensors with given sizes.
struct ExpressionQuestion {
  std::string expression;
  std::map<std::string, std::int64_t> sizes;
  std::map<std::string, std::vector<std::int64_t>> strides;
  std::string precision = "d";
  contract::Order order = contract::Order::row_major;
  std::optional<double> max_bytes;
  PlanningQuestion planning;
};

struct ExpressionFilesQuestion {
  std::string expression;
  std::vector<std::string> operands;
  std::string result;
  std::optional<double> max_bytes;
  PlanningQuestion planning;
};

/// Returns parse() of the member `name`; its bad_input becomes an error that names the member.
template <class Parse>
auto parsed(const char* name, Parse&& parse) {
  try {
    return parse();
  } catch (const Error& error) {
    throw MemberError(name, error.what());
  }
}

Precision precision_of(const std::string& name) {
  if (name.size() != 1 || std::string("sdcz").find(name) == std::string::npos) {
    throw MemberError("precision", "'" + name + "' given, expected s, d, c or z");
  }
  return static_cast<Precision>(name.front());
}

std::vector<std::string> words_of(const std::map<std::string, std::int64_t>& sizes) {
  std::vector<std::string> words;
  for (const auto& [index, extent] : sizes) {
    words.push_back(fmt::format("{}={}", index, extent));
  }
  return words;
}

contract::SizedExpression expression_of(const ExpressionQuestion& question) {
  const contract::Expression expression = parsed("expression", [&] { return contract::parse_expression(question.expression); });
  return parsed("sizes", [&] { return contract::with_extents(expression, contract::parse_sizes(words_of(question.sizes), expression)); });
}

/// Returns the strides of an expression's tensors. Throws MemberError for a name that no tensor has, and unless each index has a stride.
contract::EinsumStrides strides_of(const ExpressionQuestion& question, const contract::SizedExpression& expression) {
  const std::size_t operands = expression.operands.size();
  contract::EinsumStrides strides;
  strides.operands.resize(operands);
  for (const auto& [tensor, list] : question.strides) {
    std::vector<std::int64_t>* const place =
        parsed("strides", [&, name = tensor] { return contract::strides_of_tensor(strides, name, expression.expression); });
    if (place == nullptr) {
      throw MemberError("strides", fmt::format("'{}' is no tensor; expected {}", tensor, contract::names_of_tensors(operands)));
    }
    if (!place->empty()) {
      throw MemberError("strides", fmt::format("'{}' is a tensor that another name has given strides", tensor));
    }
    const std::size_t axes = place == &strides.result ? expression.result.labels.size()
                                                      : expression.shapes[static_cast<std::size_t>(place - strides.operands.data())].size();
    if (list.size() != axes) {
      throw MemberError("strides",
                        fmt::format("'{}' has {}, but {} given; expected one per index of '{}'", tensor,
                                    axes == 1 ? "1 index" : fmt::format("{} indices", axes),
                                    list.size() == 1 ? "1 stride is" : fmt::format("{} strides are", list.size()), question.expression));
    }
    *place = list;
  }
  return strides;
}

contract::Contraction contraction_of(const ContractionQuestion& question) {
  const contract::Notation notation = parsed("notation", [&] { return contract::parse_notation(question.notation); });
  const std::vector<std::string> words = words_of(question.sizes);
  const contract::Extents extents = parsed("sizes", [&] { return contract::parse_extents(words, notation); });
  const Precision precision = precision_of(question.precision);
  std::array<std::vector<std::int64_t>, 3> strides;
  for (const auto& [operand, list] : question.strides) {
    const std::size_t which = std::string("ABC").find(operand);
    if (operand.size() != 1 || which == std::string::npos) {
      throw MemberError("strides", "'" + operand + "' is no operand; expected A, B or C");
    }
    strides[which] = list;
  }
  return parsed("strides", [&] { return contract::make_contraction(notation, extents, precision, question.order, strides); });
}

PlanRequest request_of(const PlanningQuestion& question) {
  PlanRequest request;
  request.effort = question.effort;
  request.threads = question.threads;
  request.time_budget = question.time_budget;
  request.fresh = question.fresh;
  if (!question.tiles.empty()) {
    request.tiles = contract::parse_tiles(question.tiles, question.threads, "tiles");
  }
  return request;
}

PlanRequest request_of(const PlanningQuestion& question, const std::optional<double>& max_bytes) {
  PlanRequest request = request_of(question);
  request.max_bytes = max_bytes.value_or(request.max_bytes);
  return request;
}

PlanRequest request_of(const ExpressionQuestion& question) {
  PlanRequest request = request_of(question.planning, question.max_bytes);
  request.precision = precision_of(question.precision);
  request.order = question.order;
  return request;
}

std::vector<contract::Kernel> kernels_of(const std::vector<std::string>& names) {
  std::vector<contract::Kernel> kernels;
  for (const std::string& name : names) {
    constexpr std::array all = {contract::Kernel::dot, contract::Kernel::axpy, contract::Kernel::gemv, contract::Kernel::ger,
                                contract::Kernel::gemm};
    const auto* const found = std::find_if(all.begin(), all.end(), [&](contract::Kernel kernel) { return contract::name(kernel) == name; });
    if (found == all.end()) {
      throw MemberError("kernels", "'" + name + "' given, expected dot, axpy, gemv, ger or gemm");
    }
    kernels.push_back(*found);
  }
  return kernels;
}

RankAlgorithmsRequest request_of(const RankAlgorithmsQuestion& question) {
  RankAlgorithmsRequest request;
  request.kernels = kernels_of(question.kernels);
  request.algorithm = question.algorithm;
  request.all = question.all;
  request.stage = parsed("stage", [&] { return contract::parse_stage(question.stage); });
  request.repetitions = question.repetitions;
  request.prefetched_lines = question.prefetched_lines;
  request.validate = question.validate;
  request.fresh = question.fresh;
  return request;
}

}  // namespace

template <>
struct EnumNames<contract::Order> {
  static constexpr std::array names{std::pair{contract::Order::row_major, "row_major"},
                                    std::pair{contract::Order::column_major, "column_major"}};
};
template <>
struct EnumNames<contract::Effort> {
  static constexpr std::array names{std::pair{contract::Effort::estimate, "estimate"},
                                    std::pair{contract::Effort::microbench, "microbench"}, std::pair{contract::Effort::measure, "measure"},
                                    std::pair{contract::Effort::incremental, "incremental"}};
};

template <>
struct FieldTable<ContractionQuestion> {
  using T = ContractionQuestion;
  static constexpr auto fields = std::tuple(
      within(bounds::given, field("notation", &T::notation, "\"ai,ibc->abc\", \"abc=ai,ibc\" or \"C_abc := A_ai B_ibc\"")),
      field("sizes", &T::sizes, "elements along each index: {\"a\": 100, \"i\": 8}"),
      within(bounds::between(-1e15, 1e15),
             optional_field("strides", &T::strides, "strides of A, B and C in elements; missing: dense tensors in `order`")),
      optional_field("precision", &T::precision, "s, d, c or z"), optional_field("order", &T::order, "order of dense tensors in memory"));
};
template <>
struct FieldTable<PlanningQuestion> {
  using T = PlanningQuestion;
  static constexpr auto fields = std::tuple(
      optional_field("effort", &T::effort, "effort with which the plan is chosen"),
      within(bounds::threads, optional_field("threads", &T::threads, "threads that share the contraction, around a BLAS on one thread")),
      within(bounds::seconds, optional_field("time_budget", &T::time_budget,
                                             "seconds for measuring candidates, or for a run that decides an incremental plan")),
      optional_field("fresh", &T::fresh, "measure kernels and choices again that the store already has"),
      optional_field("tiles", &T::tiles, "use these tiles, as `flopcast contract --tiles` reads them; empty: choose them"));
};
template <>
struct FieldTable<PlanQuestion> {
  static constexpr auto fields = std::tuple(inlined_field(&PlanQuestion::contraction), inlined_field(&PlanQuestion::planning));
};
template <>
struct FieldTable<FilesQuestion> {
  using T = FilesQuestion;
  static constexpr auto fields =
      std::tuple(within(bounds::given, field("notation", &T::notation, "\"ai,ibc->abc\"")),
                 within(bounds::path, field("a", &T::a, "path of the .npy file of A")),
                 within(bounds::path, field("b", &T::b, "path of the .npy file of B")),
                 within(bounds::path, field("c", &T::c, "path of the .npy file that takes the result")), inlined_field(&T::planning));
};
constexpr const char* about_max_bytes =
    "largest number of bytes of the intermediates of three operands and more; missing: half of the available memory";
template <>
struct FieldTable<ExpressionQuestion> {
  using T = ExpressionQuestion;
  static constexpr auto fields = std::tuple(
      within(bounds::given,
             field("expression", &T::expression, "of any number of operands: \"ab,bc,cd->ad\", \"ii->i\", \"conj(ki),kj->ij\"")),
      field("sizes", &T::sizes, "size of each label: {\"i\": 100, \"j\": 8}"),
      optional_field(
          "strides", &T::strides,
          "strides in elements by operand: {\"1\": [1, 50], \"result\": [1, 64]}; one or two operands are also A and B, their result "
          "is C; missing: dense tensors in `order`"),
      optional_field("precision", &T::precision, "s, d, c or z"), optional_field("order", &T::order, "order of dense tensors in memory"),
      optional_field("max_bytes", &T::max_bytes, about_max_bytes), inlined_field(&T::planning));
};
template <>
struct FieldTable<ExpressionFilesQuestion> {
  using T = ExpressionFilesQuestion;
  static constexpr auto fields =
      std::tuple(within(bounds::given, field("expression", &T::expression, "of any number of operands: \"...i,...i->...\"")),
                 within(bounds::path, field("operands", &T::operands, "paths of the operands' .npy files")),
                 within(bounds::path, field("result", &T::result, "path of the .npy file that takes the result")),
                 optional_field("max_bytes", &T::max_bytes, about_max_bytes), inlined_field(&T::planning));
};
template <>
struct FieldTable<RankAlgorithmsQuestion> {
  using T = RankAlgorithmsQuestion;
  static constexpr auto fields =
      std::tuple(inlined_field(&T::contraction), optional_field("kernels", &T::kernels, "only algorithms of these BLAS kernels"),
                 optional_field("algorithm", &T::algorithm, "only the algorithm of this name, such as \"c-gemm\"; empty: all"),
                 optional_field("all", &T::all, "algorithms of all BLAS levels"),
                 optional_field("stage", &T::stage, "stage of the prediction, as `flopcast contract --stage` reads it"),
                 within(bounds::between(1, 1000), optional_field("repetitions", &T::repetitions, "repetitions of each micro-benchmark")),
                 within(bounds::between(0, 1e6),
                        optional_field("prefetched_lines", &T::prefetched_lines, "cache lines of an operand that prefetching has brought")),
                 optional_field("validate", &T::validate, "execute the algorithms, too, and compare"),
                 optional_field("fresh", &T::fresh, "measure kernels again that the store already has"));
};
template <>
struct FieldTable<ListQuestion> {
  static constexpr auto fields = std::tuple(inlined_field(&ListQuestion::contraction),
                                            optional_field("kernels", &ListQuestion::kernels, "only algorithms of these BLAS kernels"));
};

std::vector<Job> contraction_jobs() {
  return {
      job<PlanQuestion>("contract_plan", "Plan a contraction of tensors", "flopcast-contract-plan-1", DoneIn::any_process,
                        [](const Workbench& bench, const PlanQuestion& question, const RunContext& context) {
                          const contract::Plan made =
                              plan(bench, contraction_of(question.contraction), request_of(question.planning), context);
                          return PlannedContraction{made.contraction(), summary(made)};
                        }),
      job<PlanQuestion>("contract", "Plan a contraction, execute it on random numbers and time it", "flopcast-contract-run-1",
                        DoneIn::own_process,
                        [](const Workbench& bench, const PlanQuestion& question, const RunContext& context) {
                          return run_contraction(bench, contraction_of(question.contraction), request_of(question.planning), context);
                        }),
      job<FilesQuestion>(
          "contract_files", "Contract two .npy files into a third", "flopcast-contract-run-1", DoneIn::any_process,
          [](const Workbench& bench, const FilesQuestion& question, const RunContext& context) {
            return contract_files(bench, {question.notation, question.a, question.b, question.c, request_of(question.planning)}, context);
          }),
      job<ExpressionQuestion>("einsum_plan", "Plan an expression of any number of operands and describe the steps",
                              "flopcast-einsum-plan-1", DoneIn::any_process,
                              [](const Workbench& bench, const ExpressionQuestion& question, const RunContext& context) {
                                const contract::SizedExpression expression = expression_of(question);
                                return explain_einsum(bench, expression, strides_of(question, expression), request_of(question), context);
                              }),
      job<ExpressionQuestion>("einsum", "Plan an expression of any number of operands, execute it on random numbers and time it",
                              "flopcast-einsum-run-1", DoneIn::own_process,
                              [](const Workbench& bench, const ExpressionQuestion& question, const RunContext& context) {
                                const contract::SizedExpression expression = expression_of(question);
                                return run_einsum(bench, expression, strides_of(question, expression), request_of(question), context);
                              }),
      job<ExpressionFilesQuestion>("einsum_files", "Compute an expression of .npy files", "flopcast-einsum-run-1", DoneIn::any_process,
                                   [](const Workbench& bench, const ExpressionFilesQuestion& question, const RunContext& context) {
                                     return einsum_files(bench,
                                                         {question.expression, question.operands, question.result,
                                                          request_of(question.planning, question.max_bytes)},
                                                         context);
                                   }),
      job<RankAlgorithmsQuestion>("contract_rank", "Rank the BLAS-based algorithms of a contraction by predicted time",
                                  "flopcast-contract-1", DoneIn::own_process,
                                  [](const Workbench& bench, const RankAlgorithmsQuestion& question, const RunContext& context) {
                                    return rank_algorithms(bench, contraction_of(question.contraction), request_of(question), context);
                                  }),
      job<ListQuestion>("contract_list", "List the BLAS-based algorithms of a contraction", "flopcast-contract-1", DoneIn::any_process,
                        [](const Workbench&, const ListQuestion& question, const RunContext&) {
                          const contract::Contraction contraction = contraction_of(question.contraction);
                          return AlgorithmList{contraction, contract::choose_algorithms(contraction, kernels_of(question.kernels))};
                        }),
  };
}

}  // namespace flopcast
