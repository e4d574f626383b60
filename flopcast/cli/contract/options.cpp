#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <initializer_list>
#include <memory>
#include <sstream>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "flopcast/cli/contract/tables.hpp"
#include "flopcast/cli/shared/command.hpp"
#include "flopcast/cli/shared/option_set.hpp"
#include "flopcast/cli/shared/options.hpp"
#include "flopcast/cli/shared/request_options.hpp"
#include "flopcast/cli/shared/result_files.hpp"
#include "flopcast/support/error.hpp"
#include "flopcast/support/file.hpp"
#include "flopcast/support/run_context.hpp"
#include "flopcast/support/units.hpp"
#include "flopcast/tasks/contraction/contraction.hpp"
#include "flopcast/workbench/workbench.hpp"

namespace flopcast::cli {
namespace {

constexpr const char* footer =
    R"(More:
A contraction is abc=ai,ibc (indices of C = those of A, B), 'C_abc := A_ai B_ibc', or 'ai,ibc->abc'; sizes are
a=400 b=c=400 i=8.
With --run, --in and --plan, NumPy's whole notation is possible: 'iij->j', '...i,i', 'conj(ki),kj'. Three operands
and more are computed by a tree of pairwise contractions; without --run and --in, its steps are shown as with --plan.
Algorithms are called as in Peise et al. 2015: the loops from the outside in, ' for a copy in the loop before it, the
kernel.
--layouts with --validate runs orders of the tensors until --time-budget (60 s) is over, and keeps the times until no
order is faster: after that time, or Ctrl-C, the same command goes on.

Examples:
  flopcast contract abc=ai,ibc a=b=c=64 i=8
  flopcast contract abc=ai,ibc a=b=c=64 i=8 --validate
  flopcast contract 'conj(ki),kjx->ij' i=j=k=64 x=2 --precision z --run
  flopcast contract 'ab,bc,cd->ad' a=b=400 c=20 d=400
  flopcast contract 'C_abc := A_ija B_jbic' a=b=c=100 i=j=8 --emit c --algorithm ib-gemm
  flopcast contract --layouts T,V 'W_abij := V_abcd T_cdij' 'Y_ki := U_cdkl T_cdil' a=b=c=d=40 i=j=k=l=10)";

/// The options of `flopcast contract`.
struct ContractCommand {
  std::string expression;
  std::vector<std::string> sizes, strides;
  ContractionRequest request;  ///< its precision, order and `fresh` are those of rankings, too
  RankAlgorithmsRequest ranking;
  LayoutsRequest layouts;
  bool list = false, run = false, plan = false;
  std::string emit;
  machine::LibraryChoice libraries;
  ResultFiles files;

  [[nodiscard]] bool takes_files() const { return !request.operands.empty() || !request.result.empty(); }
  [[nodiscard]] bool only_lists() const { return list || !emit.empty(); }
  [[nodiscard]] bool has_many_operands() const { return request.expression.operands.size() > 2; }
  /// Returns whether the expression is to be planned, and not algorithms of a contraction to be ranked. Three operands and more are always
  /// planned.
  [[nodiscard]] bool plans() const { return takes_files() || run || plan || has_many_operands(); }
};

/// Refuses options that were given, of these names.
void refuse(const OptionSet& options, std::initializer_list<const char*> names, std::string_view why) {
  for (const char* name : names) {
    if (options.given(name)) {
      throw usage_error("{} {}", name, why);
    }
  }
}

/// Refuses options that would do nothing beside the others.
void refuse_idle_options(const ContractCommand& command, const OptionSet& options) {
  if (command.takes_files()) {
    refuse(options, {"--precision", "--order", "--strides"}, "doesn't go with --in and --out: .npy files have their own");
  }
  if (command.plans()) {
    refuse(options, {"--algorithm", "--blas-kernels", "--all-levels", "--stage", "--prefetched-lines", "--repetitions"},
           command.has_many_operands() ? "is for ranking algorithms of two tensors"
                                       : "is for ranking algorithms, not for --run, --in and --plan");
  }
  if (!command.takes_files() && !command.run) {
    refuse(options, {"--tiles", "--effort", "--time-budget"}, "is for --run and --in");
  }
  if (!command.has_many_operands()) {
    refuse(options, {"--max-bytes"}, "is for expressions of three operands and more");
  }
  if (command.only_lists()) {
    refuse(options, {"--fresh", "--stage", "--prefetched-lines", "--repetitions", "--blas", "--lapack", "--threads", "--kernels"},
           "is for what measures; --list and --emit don't");
  }
}

/// Throws usage_error for files that contradict other options.
void check_files(const ContractCommand& command, const CommonOptions& common) {
  const ContractionRequest& request = command.request;
  if (request.plan.effort == contract::Effort::incremental) {
    throw usage_error("--effort incremental tries candidates in many executions, but files are contracted once; give another effort");
  }
  if (request.operands.empty() || request.result.empty() ||
      (contract::is_contraction(request.expression) && request.operands.size() != 2)) {
    throw usage_error("contracting files takes --in A.npy --in B.npy --out C.npy");
  }
  if (!command.sizes.empty()) {
    throw usage_error("sizes come from the files of --in; leave {} out", command.sizes.front());
  }
  constexpr const char* standard_output = "-";
  if (std::error_code none; request.result == common.output || std::filesystem::equivalent(request.result, common.output, none)) {
    throw usage_error("--out and --output both write to {}; give one of them another file",
                      request.result == standard_output ? "standard output" : request.result);
  }
}

/// Returns the contractions of a word: the word, or the lines of the file behind '@' that have anything before '#'.
std::vector<std::string> read_contractions(const std::string& word) {
  if (word.front() != '@') {
    return {word};
  }
  std::vector<std::string> contractions;
  std::istringstream lines(read_file(word.substr(1)));
  for (std::string line; std::getline(lines, line);) {
    line.resize(std::min(line.find('#'), line.size()));
    if (line.find_first_not_of(" \t\r") != std::string::npos) {
      contractions.push_back(line);
    }
  }
  if (contractions.empty()) {
    throw bad_input("{} has no contraction; expected one in each line, such as W_abij := V_abcd T_cdij", word.substr(1));
  }
  return contractions;
}

/// Splits the words into contractions and sizes, and chooses the orders of their tensors.
void run_layouts(ContractCommand& command, const OptionSet& options, const CommonOptions& common) {
  refuse(options,
         {"--in", "--out", "--run", "--plan", "--list", "--emit", "--algorithm", "--blas-kernels", "--all-levels", "--stage", "--strides",
          "--order", "--tiles", "--effort", "--max-bytes", "--fresh", "--repetitions", "--prefetched-lines"},
         "doesn't go with --layouts");
  LayoutsRequest& request = command.layouts;
  std::vector<std::string> sizes;
  contract::Expression all;
  command.sizes.insert(command.sizes.begin(), command.expression);
  for (const std::string& word : command.sizes) {
    if (!word.empty() && std::isdigit(static_cast<unsigned char>(word.back())) != 0 && word.front() != '@') {
      sizes.push_back(word);
      continue;
    }
    for (const std::string& text : read_contractions(word)) {
      const contract::Expression expression = contract::parse_expression(text);
      all.operands.insert(all.operands.end(), expression.operands.begin(), expression.operands.end());
      request.contractions.push_back(text);
    }
  }
  if (request.contractions.empty()) {
    throw usage_error("no contraction is given; expected one such as 'W_abij := V_abcd T_cdij', or @FILE with one in each line");
  }
  all.has_letters = true;
  request.sizes = contract::parse_sizes(sizes, all);
  request.precision = command.request.plan.precision;
  request.threads = command.libraries.threads;
  request.validate = command.ranking.validate;
  if (options.given("--time-budget")) {
    request.time_budget = command.request.plan.time_budget;
  }
  const RunContext context = keeping_if_possible(run_context(common));
  const Workbench bench(planning_libraries(command.libraries), context);
  const LayoutsResult result = choose_layouts(bench, request, context);
  show_layouts(result, request, common);
  write_result_files(result, command.files, common);
}

/// Throws usage_error for options that contradict each other, or would do nothing.
void check(const ContractCommand& command, const OptionSet& options, const CommonOptions& common) {
  const bool emits = !command.emit.empty(), validates = command.ranking.validate;
  refuse_idle_options(command, options);
  if (command.takes_files() && (command.only_lists() || validates || command.plan)) {
    throw usage_error("--list, --emit, --validate and --plan take no files; leave --in and --out out");
  }
  if (command.list + emits + validates + command.run + command.plan > 1) {
    throw usage_error("--list, --emit, --validate, --run and --plan exclude one another");
  }
  if (command.has_many_operands() && (command.only_lists() || validates)) {
    throw usage_error("--list, --emit and --validate are for contractions of two tensors; '{}' has more operands", command.expression);
  }
  if (emits && (common.json || common.csv || command.files.any())) {
    throw usage_error("--emit writes source code; leave {} out", common.json ? "--json" : common.csv ? "--csv" : "--page and --figure");
  }
  if (command.takes_files()) {
    check_files(command, common);
  }
}

/// Reads `A=1,400`.
void read_strides(const std::string& word, TensorsRequest& to) {
  constexpr std::int64_t farthest = std::int64_t{1} << 40;
  const std::size_t equals = std::min(word.find('='), word.size());
  const std::string tensor = word.substr(0, equals);
  const auto [list, is_new] = to.strides.try_emplace(tensor);
  if (!is_new) {
    throw bad_input("strides of {} are given twice; a tensor may have two names", tensor);
  }
  for (std::size_t begin = equals + 1; begin <= word.size();) {
    const std::size_t comma = std::min(word.find(',', begin), word.size());
    list->second.push_back(parse_integer(word.substr(begin, comma - begin), "stride of " + tensor, -farthest, farthest));
    begin = comma + 1;
  }
}

/// Reads sizes and strides, which depend on the expression.
void read_tensors(ContractCommand& command) {
  ContractionRequest& request = command.request;
  if (!command.plans()) {
    static_cast<void>(contract::notation_of(request.expression));
  }
  for (const std::string& word : command.sizes) {
    if (word.find(":=") != std::string::npos || word.find("->") != std::string::npos) {
      throw usage_error("'{}' is a second contraction where a size such as a=400 is expected; several contractions go with --layouts",
                        word);
    }
  }
  request.sizes = contract::parse_sizes(command.sizes, request.expression);
  if (!command.emit.empty() && command.strides.empty()) {
    // Emitted code takes sizes as parameters. The position of an index of size 1 in memory can't be told from its stride.
    for (auto& [label, size] : request.sizes) {
      size = std::max<std::int64_t>(size, 2);
    }
  }
  static_cast<void>(sized(request));  // before the strides, which depend on the indices
  for (const std::string& word : command.strides) {
    read_strides(word, request);
  }
}

void run_contract(ContractCommand command, const OptionSet& options, const CommonOptions& common) {
  if (!command.layouts.layouts.empty()) {
    run_layouts(command, options, common);
    return;
  }
  refuse(options, {"--executions"}, "is for --layouts");
  ContractionRequest& request = command.request;
  request.expression = contract::parse_expression(command.expression);
  check(command, options, common);
  if (!command.takes_files()) {
    read_tensors(command);
  }
  const RunContext context = keeping_if_possible(run_context(common));
  if (command.plans()) {
    request.execute = command.run || command.takes_files();
    request.plan.effort = request.execute ? request.plan.effort : contract::Effort::estimate;
    request.plan.threads = command.libraries.threads;
    const Workbench bench(planning_libraries(command.libraries), context);
    const ContractionResult result = run_contraction(bench, request, context);
    show_result(result, common);
    write_result_files(result, command.files, common);
    return;
  }
  RankAlgorithmsRequest& ranking = command.ranking;
  static_cast<TensorsRequest&>(ranking) = request;
  ranking.precision = request.plan.precision;
  ranking.order = request.plan.order;
  ranking.fresh = request.plan.fresh;
  if (command.list) {
    const AlgorithmList list = list_algorithms(ranking);
    show_list(list, common);
    write_result_files(list, command.files, common);
  } else if (!command.emit.empty()) {
    const AlgorithmList list = list_algorithms(ranking);
    emit(contract::emit(list.algorithms, list.contraction, command.emit == "c" ? contract::Language::c : contract::Language::cpp), common);
  } else {
    const Workbench bench(command.libraries, context);
    const AlgorithmRanking result = rank_algorithms(bench, ranking, context);
    show_ranking(result, ranking.all, common);
    write_result_files(result, command.files, common);
  }
}

}  // namespace

void add_contract_command(OptionSet& app, CommonOptions& common) {
  auto values = std::make_shared<ContractCommand>();
  OptionSet command = app.add_command("contract", "Rank the algorithms of a tensor contraction, or plan and run it");
  command
      .option("contraction", values->expression,
              "Contraction such as abc=ai,ibc (indices of C = those of A, B), or expression of several operands")
      .required();
  command.option("sizes", values->sizes, "Size of every index, such as a=b=c=400 i=8").placeholder("INDEX=SIZE ...");
  command
      .option(
          "--strides", values->strides,
          "Strides of a tensor in elements, one per index, such as A=1,512 (A, B and C; in expressions also 1, 2, ... and result); may be "
          "repeated")
      .placeholder("TENSOR=STRIDES")
      .repeatable()
      .rare();
  command.flag("--list", values->list, "Only list: the algorithms; nothing is measured");
  command.option("--emit", values->emit, "Write the algorithms as functions that call CBLAS: c or c++").choices({"c", "c++"});
  add_request(command, values->ranking);
  command.flag("--run", values->run, "Plan the contraction (tiles, packing, streaming) and run it on random numbers");
  command.flag("--plan", values->plan, "Show the steps of the plan with their flops, bytes and predicted times; nothing is executed");
  add_request(command, values->request);
  add_request(command, values->layouts);
  add_library_options(command, values->libraries);
  command.find("--threads").describe("Threads of BLAS; with --run, --in and --plan, threads of the planner around a BLAS on one thread");
  add_result_files(command, values->files);
  command.footer(footer);
  command.action([values, command, &common] { run_contract(*values, command, common); });
}

}  // namespace flopcast::cli
