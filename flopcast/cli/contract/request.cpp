#include "flopcast/cli/contract/request.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <initializer_list>
#include <map>
#include <string_view>
#include <system_error>

#include "flopcast/cli/shared/option_set.hpp"
#include "flopcast/contract/einsum/named_strides.hpp"
#include "flopcast/support/error.hpp"
#include "flopcast/support/units.hpp"

namespace flopcast::cli {
namespace {

constexpr std::size_t most_of_few = 2;
constexpr std::array<contract::Kernel, 5> all_kernels = {contract::Kernel::dot, contract::Kernel::axpy, contract::Kernel::gemv,
                                                         contract::Kernel::ger, contract::Kernel::gemm};

/// Strides of one tensor, in elements, and the name that the command line gives the tensor.
struct NamedStrides {
  std::string tensor;
  std::vector<std::int64_t> strides;
};

/// Reads `A=1,400`.
NamedStrides parse_strides(const std::string& word) {
  constexpr std::int64_t farthest = std::int64_t{1} << 40;
  const std::size_t equals = std::min(word.find('='), word.size());
  NamedStrides named{word.substr(0, equals), {}};
  for (std::size_t begin = equals + 1; begin <= word.size();) {
    const std::size_t comma = std::min(word.find(',', begin), word.size());
    named.strides.push_back(parse_integer(word.substr(begin, comma - begin), "stride of " + named.tensor, -farthest, farthest));
    begin = comma + 1;
  }
  return named;
}

/// Refuses options that were given, of these names.
void refuse(const OptionSet& command, std::initializer_list<const char*> names, std::string_view why) {
  for (const char* name : names) {
    if (command.given(name)) {
      throw usage_error("{} {}", name, why);
    }
  }
}

/// Refuses options that would do nothing beside the others.
void refuse_idle_options(const ContractOptions& options, bool has_many_operands, bool plans, const OptionSet& command) {
  if (options.takes_files()) {
    refuse(command, {"--precision", "--order", "--strides"}, "doesn't go with --in and --out: .npy files have their own");
  }
  if (plans) {
    refuse(command, {"--algorithm", "--blas-kernels", "--all", "--stage", "--prefetched-lines", "--repetitions"},
           has_many_operands ? "is for ranking algorithms of two tensors" : "is for ranking algorithms, not for --run, --in and --explain");
  }
  if (!options.takes_files() && !options.run) {
    refuse(command, {"--tiles", "--effort", "--time-budget"}, "is for --run and --in");
  }
  if (!has_many_operands) {
    refuse(command, {"--max-bytes"}, "is for expressions of three operands and more");
  }
  if (options.list || !options.emit.empty()) {
    refuse(command, {"--fresh", "--stage", "--prefetched-lines", "--repetitions", "--blas", "--lapack", "--threads", "--kernels"},
           "is for what measures; --list and --emit don't");
  }
}

/// Reads the strides of an expression.
contract::EinsumStrides requested_strides(const ContractOptions& options, const contract::Expression& expression) {
  contract::EinsumStrides strides;
  strides.operands.resize(expression.operands.size());
  for (const std::string& word : options.strides) {
    const auto [tensor, given] = parse_strides(word);
    contract::give_strides(strides, tensor, given, expression);
  }
  return strides;
}

contract::Order requested_order(const ContractOptions& options) {
  return options.order == "row" ? contract::Order::row_major : contract::Order::column_major;
}

}  // namespace

bool ContractOptions::plans(const contract::Expression& expression) const {
  return takes_files() || run || explain || expression.operands.size() > most_of_few;
}

void check(const ContractOptions& options, const contract::Expression& expression, const OptionSet& command, const CommonOptions& common) {
  const bool has_many_operands = expression.operands.size() > most_of_few;
  refuse_idle_options(options, has_many_operands, options.plans(expression), command);
  if (options.takes_files() && (options.list || !options.emit.empty() || options.validate || options.explain)) {
    throw usage_error("--list, --emit, --validate and --explain take no files; leave --in and --out out");
  }
  if (options.list + !options.emit.empty() + options.validate + options.run + options.explain > 1) {
    throw usage_error("--list, --emit, --validate, --run and --explain exclude one another");
  }
  if (has_many_operands && (options.list || !options.emit.empty() || options.validate)) {
    throw usage_error("--list, --emit and --validate are for contractions of two tensors; '{}' has more operands", options.notation);
  }
  if (!options.emit.empty() && (common.json || common.csv)) {
    throw usage_error("--emit writes source code; leave {} out", common.json ? "--json" : "--csv");
  }
  if (!options.takes_files()) {
    return;
  }
  if (options.effort == "incremental") {
    throw usage_error("--effort incremental tries candidates in many executions, but files are contracted once; give another effort");
  }
  if (options.inputs.empty() || options.result.empty() || (contract::is_contraction(expression) && options.inputs.size() != 2)) {
    throw usage_error("contracting files takes --in A.npy --in B.npy --out C.npy");
  }
  if (!options.sizes.empty()) {
    throw usage_error("sizes come from the files of --in; leave {} out", options.sizes.front());
  }
  constexpr const char* standard_output = "-";
  if (std::error_code none; options.result == common.output || std::filesystem::equivalent(options.result, common.output, none)) {
    throw usage_error("--out and --output both write to {}; give one of them another file",
                      options.result == standard_output ? "standard output" : options.result);
  }
}

contract::Contraction requested_contraction(const ContractOptions& options, const contract::Expression& expression) {
  static_cast<void>(contract::notation_of(expression));
  std::map<contract::Label, std::int64_t> sizes = contract::parse_sizes(options.sizes, expression);
  if (!options.emit.empty() && options.strides.empty()) {
    // Emitted code takes sizes as parameters. The position of an index of size 1 in memory can't be told from its stride.
    for (auto& [label, size] : sizes) {
      size = std::max<std::int64_t>(size, 2);
    }
  }
  return contract::make_contraction(contract::with_extents(expression, sizes), requested_strides(options, expression),
                                    static_cast<Precision>(options.precision[0]), requested_order(options));
}

RankAlgorithmsRequest ranking_request(const ContractOptions& options) {
  RankAlgorithmsRequest request;
  for (const contract::Kernel kernel : all_kernels) {
    if (std::find(options.kernels.begin(), options.kernels.end(), contract::name(kernel)) != options.kernels.end()) {
      request.kernels.push_back(kernel);
    }
  }
  request.algorithm = options.algorithm;
  request.all = options.all;
  request.stage = contract::parse_stage(options.stage);
  request.repetitions = options.repetitions;
  request.prefetched_lines = options.prefetched_lines;
  request.validate = options.validate;
  request.fresh = options.fresh;
  return request;
}

ContractionRequest contraction_request(const ContractOptions& options, const contract::Expression& expression) {
  ContractionRequest request;
  request.expression = expression;
  request.execute = options.run || options.takes_files();
  PlanRequest& plan = request.plan;
  plan.effort = !request.execute                  ? contract::Effort::estimate
                : options.effort == "measure"     ? contract::Effort::measure
                : options.effort == "microbench"  ? contract::Effort::microbench
                : options.effort == "incremental" ? contract::Effort::incremental
                                                  : contract::Effort::estimate;
  plan.threads = options.libraries.threads;
  plan.time_budget = parse_duration(options.time_budget, "--time-budget");
  plan.fresh = options.fresh;
  plan.precision = static_cast<Precision>(options.precision[0]);
  plan.order = requested_order(options);
  if (!options.max_bytes.empty()) {
    plan.max_bytes = static_cast<double>(parse_bytes(options.max_bytes, "--max-bytes"));
  }
  if (!options.tiles.empty()) {
    plan.tiles = contract::parse_tiles(options.tiles, options.libraries.threads, "--tiles");
  }
  if (options.takes_files()) {
    request.operands = options.inputs;
    request.result = options.result;
  } else {
    request.sizes = contract::parse_sizes(options.sizes, expression);
    static_cast<void>(contract::with_extents(expression, request.sizes));  // before the strides, which depend on the indices
    request.strides = requested_strides(options, expression);
  }
  return request;
}

}  // namespace flopcast::cli
