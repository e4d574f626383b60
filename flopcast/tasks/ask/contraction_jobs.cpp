#include <array>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "flopcast/contract/einsum/named_strides.hpp"
#include "flopcast/support/error.hpp"
#include "flopcast/tasks/ask/job.hpp"
#include "flopcast/tasks/contraction/contraction.hpp"
#include "flopcast/tasks/contraction/option_names.hpp"

namespace flopcast {
namespace {

/// An expression of tensors with given sizes. Rankings and lists take contractions of two tensors.
struct ContractionQuestion {
  std::string expression;
  std::map<std::string, std::int64_t> sizes;
  std::map<std::string, std::vector<std::int64_t>> strides;
  Precision precision = Precision::d;
  contract::Order order = contract::Order::row_major;
};

struct ContractQuestion {
  ContractionQuestion contraction;
  std::vector<std::string> operands;
  std::string result;
  bool execute = true;
  std::optional<double> max_bytes;
  std::string tiles;
  PlanRequest planning;
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

/// Returns parse() of the member `name`; its bad_input becomes an error that names the member.
template <class Parse>
auto parsed(const char* name, Parse&& parse) {
  try {
    return parse();
  } catch (const Error& error) {
    throw MemberError(name, error.what());
  }
}

std::vector<std::string> words_of(const std::map<std::string, std::int64_t>& sizes) {
  std::vector<std::string> words;
  for (const auto& [index, extent] : sizes) {
    words.push_back(fmt::format("{}={}", index, extent));
  }
  return words;
}

contract::EinsumStrides strides_of(const ContractionQuestion& question, const contract::Expression& expression) {
  contract::EinsumStrides strides;
  strides.operands.resize(expression.operands.size());
  for (const auto& [tensor, list] : question.strides) {
    parsed("strides", [&, name = tensor, &given = list] { contract::give_strides(strides, name, given, expression); });
  }
  return strides;
}

contract::Contraction contraction_of(const ContractionQuestion& question) {
  const contract::Expression expression = parsed("expression", [&] {
    contract::Expression read = contract::parse_expression(question.expression);
    static_cast<void>(contract::notation_of(read));
    return read;
  });
  const contract::SizedExpression sized =
      parsed("sizes", [&] { return contract::with_extents(expression, contract::parse_sizes(words_of(question.sizes), expression)); });
  const contract::EinsumStrides strides = strides_of(question, expression);
  return parsed("strides", [&] { return contract::make_contraction(sized, strides, question.precision, question.order); });
}

ContractionRequest request_of(const ContractQuestion& question) {
  const ContractionQuestion& of = question.contraction;
  ContractionRequest request;
  request.expression = parsed("expression", [&] { return contract::parse_expression(of.expression); });
  request.operands = question.operands;
  request.result = question.result;
  request.execute = question.execute;
  request.plan = question.planning;
  request.plan.precision = of.precision;
  request.plan.order = of.order;
  request.plan.max_bytes = question.max_bytes.value_or(request.plan.max_bytes);
  if (!question.tiles.empty()) {
    request.plan.tiles = contract::parse_tiles(question.tiles, request.plan.threads, "tiles");
  }
  if (question.operands.empty() && question.result.empty()) {
    request.sizes = parsed("sizes", [&] {
      std::map<contract::Label, std::int64_t> sizes = contract::parse_sizes(words_of(of.sizes), request.expression);
      static_cast<void>(contract::with_extents(request.expression, sizes));
      return sizes;
    });
    request.strides = strides_of(of, request.expression);
  } else if (question.operands.empty() || question.result.empty()) {
    throw MemberError(question.result.empty() ? "result" : "operands", "files need paths of the operands and of the result; name both");
  } else if (!of.sizes.empty() || !of.strides.empty()) {
    throw MemberError(of.sizes.empty() ? "strides" : "sizes", "files have their own; leave this member out");
  } else if (!question.execute) {
    throw MemberError("execute", "files are always computed; leave them out, and give sizes");
  }
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
Fields FieldTable<ContractionQuestion>::fields() {
  return {field<&T::expression>(
              "of any number of operands: \"ab,bc,cd->ad\", \"ii->i\", \"conj(ki),kj->ij\", \"abc=ai,ibc\", \"C_abc := A_ai B_ibc\"")
              .within(bounds::given),
          optional_field<&T::sizes>("size of each label: {\"i\": 100, \"j\": 8}; files have their own"),
          optional_field<&T::strides>(
              "strides in elements by operand: {\"1\": [1, 50], \"result\": [1, 64]}; one or two operands are also A and B, "
              "their result is C; missing: dense tensors in `order`")
              .within(bounds::between(-1e15, 1e15)),
          optional_field<&T::precision>("type of the elements"), optional_field<&T::order>("order of dense tensors in memory")};
}
template <>
Fields FieldTable<PlanRequest>::fields() {
  return {optional_field<&T::effort>("effort with which the plan is chosen"),
          optional_field<&T::threads>("threads that share the contraction, around a BLAS on one thread").within(bounds::threads),
          optional_field<&T::time_budget>("seconds for measuring candidates, or for a run that decides an incremental plan")
              .within(bounds::seconds),
          optional_field<&T::fresh>("measure kernels and choices again that the store already has")};
}
template <>
Fields FieldTable<ContractQuestion>::fields() {
  return {inlined_field<&T::contraction>(),
          optional_field<&T::operands>("paths of the operands' .npy files; missing: random numbers").within(bounds::paths_if_any),
          optional_field<&T::result>("path of the .npy file that takes the result of files").within(bounds::path_or_nothing),
          optional_field<&T::execute>("execute the plan and time it; false: only describe the plan"),
          optional_field<&T::max_bytes>(
              "largest number of bytes of the intermediates of three operands and more; missing: half of the available memory"),
          inlined_field<&T::planning>(),
          optional_field<&T::tiles>("use these tiles, as `flopcast contract --tiles` reads them; empty: choose them")};
}
template <>
Fields FieldTable<RankAlgorithmsQuestion>::fields() {
  return {inlined_field<&T::contraction>(),
          optional_field<&T::kernels>("only algorithms of these BLAS kernels"),
          optional_field<&T::algorithm>("only the algorithm of this name, such as \"c-gemm\"; empty: all"),
          optional_field<&T::all>("algorithms of all BLAS levels"),
          optional_field<&T::stage>("stage of the prediction, as `flopcast contract --stage` reads it"),
          optional_field<&T::repetitions>("repetitions of each micro-benchmark").within(bounds::between(1, 1000)),
          optional_field<&T::prefetched_lines>("cache lines of an operand that prefetching has brought").within(bounds::between(0, 1e6)),
          optional_field<&T::validate>("execute the algorithms, too, and compare"),
          optional_field<&T::fresh>("measure kernels again that the store already has")};
}
template <>
Fields FieldTable<ListQuestion>::fields() {
  return {inlined_field<&T::contraction>(), optional_field<&T::kernels>("only algorithms of these BLAS kernels")};
}

std::vector<Job> contraction_jobs() {
  return {
      job<ContractQuestion>("contract", "Plan a contraction of any number of tensors, and execute it on random numbers or .npy files",
                            "flopcast-contraction-1", DoneIn::own_process,
                            [](const Workbench& bench, const ContractQuestion& question, const RunContext& context) {
                              return run_contraction(bench, request_of(question), context);
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
