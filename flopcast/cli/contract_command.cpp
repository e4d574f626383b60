
#include <array>
#include <exception>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "flopcast/cli/command.hpp"
#include "flopcast/cli/contract_document.hpp"
#include "flopcast/cli/contract_options.hpp"
#include "flopcast/cli/contract_ranking.hpp"
#include "flopcast/cli/contract_run.hpp"
#include "flopcast/cli/library_options.hpp"
#include "flopcast/cli/options.hpp"
#include "flopcast/cli/shared/option_set.hpp"
#include "flopcast/contract/algorithms/emit.hpp"
#include "flopcast/contract/algorithms/generate.hpp"
#include "flopcast/machine/cpu/clock.hpp"
#include "flopcast/program/recording_warnings.hpp"
#include "flopcast/report/table.hpp"
#include "flopcast/support/error.hpp"
#include "flopcast/workbench/workbench.hpp"

namespace flopcast::cli {
namespace {

using contract::Algorithm;
using contract::Contraction;

constexpr const char* footer =
    R"(A contraction is abc=ai,ibc (C = A, B), 'C_abc := A_ai B_ibc', or 'ai,ibc->abc'; sizes are a=400 b=c=400 i=8.
Algorithms are called as in the paper: the loops from the outside in, ' for a copy in the loop before it, the kernel.

Examples:
  flopcast contract abc=ai,ibc a=b=c=64 i=8
  flopcast contract abc=ai,ibc a=b=c=64 i=8 --kernel gemv --validate
  flopcast contract abc=ija,jbic a=b=c=64 i=j=8 --run
  flopcast contract 'ija,jbic->abc' a=b=c=100 i=j=8 --list --kernel gemm --json
  flopcast contract 'C_abc := A_ija B_jbic' a=b=c=100 i=j=8 --emit c --algorithm "i'c-gemm")";

contract::Order parse_order(const std::string& order) {
  return order == "row" ? contract::Order::row_major : contract::Order::column_major;
}

/// `A=1,400`: strides of one operand, in elements.
void parse_strides(const std::string& word, std::array<std::vector<std::int64_t>, 3>& strides) {
  const std::size_t equals = word.find('=');
  const std::size_t which = std::string("ABC").find(word.substr(0, equals));
  if (equals != 1 || which == std::string::npos) {
    throw bad_input("strides '{}' are not A=..., B=... or C=... with a stride per index, such as A=1,400", word);
  }
  if (!strides[which].empty()) {
    throw bad_input("strides of {} are given twice", word.substr(0, 1));
  }
  for (std::size_t begin = equals + 1; begin <= word.size();) {
    const std::size_t comma = std::min(word.find(',', begin), word.size());
    strides[which].push_back(parse_integer(word.substr(begin, comma - begin), "stride of " + word.substr(0, 1), -(std::int64_t{1} << 40),
                                           std::int64_t{1} << 40));
    begin = comma + 1;
  }
}

Contraction requested_contraction(const ContractOptions& options) {
  const contract::Notation notation = contract::parse_notation(options.notation);
  contract::Extents extents = contract::parse_extents(options.sizes, notation);
  if (!options.emit.empty() && options.strides.empty()) {
    // The code takes sizes as parameters, and where indices of size 1 lie can't be told from their strides.
    for (auto& [index, extent] : extents) {
      extent = std::max<std::int64_t>(extent, 2);
    }
  }
  std::array<std::vector<std::int64_t>, 3> strides;
  for (const std::string& word : options.strides) {
    parse_strides(word, strides);
  }
  return contract::make_contraction(notation, extents, static_cast<Precision>(options.precision[0]), parse_order(options.order), strides);
}

std::vector<contract::Kernel> requested_kernels(const ContractOptions& options) {
  std::vector<contract::Kernel> kernels;
  for (const contract::Kernel kernel :
       {contract::Kernel::dot, contract::Kernel::axpy, contract::Kernel::gemv, contract::Kernel::ger, contract::Kernel::gemm}) {
    for (const std::string& wanted : options.kernels) {
      if (wanted == contract::name(kernel)) {
        kernels.push_back(kernel);
      }
    }
  }
  return kernels;
}

void show_list(const std::vector<Algorithm>& algorithms, const Contraction& contraction, const CommonOptions& common) {
  if (common.json) {
    nlohmann::json document = to_json(contraction);
    document["schema"] = "flopcast-contract-1";
    document["algorithms"] = nlohmann::json::array();
    for (const Algorithm& algorithm : algorithms) {
      document["algorithms"].push_back(to_json(algorithm, contraction));
    }
    emit(document, common);
    return;
  }
  report::Table table{{{"algorithm", report::Align::left},
                       {"kernel", report::Align::left},
                       {"along", report::Align::left},
                       {"copies", report::Align::left},
                       {"kernel calls"}},
                      {}};
  for (const Algorithm& algorithm : algorithms) {
    std::string copies;
    for (const contract::Copy& copy : algorithm.copies) {
      copies += contract::letter(copy.operand);
    }
    table.rows.push_back({algorithm.name(), std::string(contract::name(algorithm.kernel)), algorithm.kernel_indices, copies,
                          report::whole(static_cast<long long>(contract::kernel_calls(algorithm, contraction)))});
  }
  emit(table, common);
}

/// The algorithms that were asked for: one by name, or all of the kernels.
std::vector<Algorithm> requested_algorithms(const ContractOptions& options, const Contraction& contraction) {
  std::vector<Algorithm> all = contract::generate(contraction, requested_kernels(options));
  if (all.empty()) {
    throw bad_input("{} has no algorithm of {}", contract::to_string(contraction.notation()), fmt::join(options.kernels, ", "));
  }
  if (options.algorithm.empty()) {
    return all;
  }
  const std::string kernel = options.algorithm.substr(options.algorithm.rfind('-') + 1);
  if (!options.kernels.empty() && std::find(options.kernels.begin(), options.kernels.end(), kernel) == options.kernels.end()) {
    throw bad_input("algorithm '{}' isn't one of {}; leave --kernel out", options.algorithm, fmt::join(options.kernels, " or "));
  }
  return {contract::find_algorithm(options.algorithm, all)};
}

/// Unless told otherwise only the algorithms of the highest BLAS level are worth measuring: "only gemm are real candidates" (paper 002,
/// section 1).
std::vector<Algorithm> candidates(std::vector<Algorithm> algorithms, const ContractOptions& options, const CommonOptions& common) {
  if (options.all || !options.kernels.empty()) {
    return algorithms;
  }
  const contract::Kernel highest = std::max_element(algorithms.begin(), algorithms.end(), [](const Algorithm& x, const Algorithm& y) {
                                     return contract::blas_level(x.kernel) < contract::blas_level(y.kernel);
                                   })->kernel;
  std::vector<Algorithm> kept;
  std::copy_if(algorithms.begin(), algorithms.end(), std::back_inserter(kept),
               [&](const Algorithm& algorithm) { return contract::blas_level(algorithm.kernel) == contract::blas_level(highest); });
  if (kept.size() < algorithms.size()) {
    note(fmt::format("{} of {} algorithms, those of BLAS level {}; --all ranks the others too", kept.size(), algorithms.size(),
                     contract::blas_level(highest)),
         common);
  }
  return kept;
}

/// Those whose calls BLAS's integers can say. Throws what is wrong with the first one if that holds for none.
std::vector<Algorithm> callable(const std::vector<Algorithm>& algorithms, const Contraction& contraction, const CommonOptions& common) {
  std::vector<Algorithm> kept;
  std::exception_ptr refused;
  std::string why;
  for (const Algorithm& algorithm : algorithms) {
    try {
      contract::require_callable(algorithm, contraction);
      kept.push_back(algorithm);
    } catch (const Error& error) {
      if (error.code() != ExitCode::bad_input) {
        throw;
      }
      if (refused == nullptr) {
        refused = std::current_exception();
        why = error.what();
      }
    }
  }
  if (kept.empty()) {
    std::rethrow_exception(refused);
  }
  if (refused != nullptr) {
    note(fmt::format("left out {}: {}", counted(algorithms.size() - kept.size(), "algorithm"), why), common);
  }
  return kept;
}

/// Refuses options of these names that were given: what would do nothing isn't taken.
void refuse(const OptionSet& command, std::initializer_list<const char*> names, std::string_view why) {
  for (const char* name : names) {
    if (command.given(name)) {
      throw usage_error("{} {}", name, why);
    }
  }
}

void check(const ContractOptions& options, const OptionSet& command, const CommonOptions& common) {
  const bool reads_files = !options.inputs.empty() || !options.result.empty();
  if (reads_files) {
    refuse(command, {"--precision", "--order", "--strides"}, "doesn't go with --in and --out: .npy files say it themselves");
  }
  if (reads_files || options.run) {
    refuse(command, {"--algorithm", "--kernel", "--all", "--stage", "--prefetched-lines", "--repetitions"},
           "is for ranking algorithms, not for --run and --in");
  } else {
    refuse(command, {"--tiles", "--effort", "--time-budget"}, "is for --run and --in");
  }
  if (reads_files && (options.list || !options.emit.empty() || options.validate)) {
    throw usage_error("--list, --emit and --validate take no files; leave --in and --out out");
  }
  if (options.list + !options.emit.empty() + options.validate + options.run > 1) {
    throw usage_error("--list, --emit, --validate and --run exclude one another");
  }
  if (!options.emit.empty() && (common.json || common.csv)) {
    throw usage_error("--emit writes source code; leave {} out", common.json ? "--json" : "--csv");
  }
  if (options.list || !options.emit.empty()) {
    refuse(command, {"--fresh", "--stage", "--prefetched-lines", "--repetitions", "--blas", "--lapack", "--threads", "--kernels"},
           "is for what measures; --list and --emit don't");
  }
  contract::parse_stage(options.stage);
}

void run_contract(const ContractOptions& options, const OptionSet& command, const CommonOptions& common) {
  check(options, command, common);
  if (!options.inputs.empty() || !options.result.empty()) {
    contract_files(options, common);
    return;
  }
  const Contraction contraction = requested_contraction(options);
  if (options.run) {
    run_plan(options, contraction, common);
    return;
  }
  const std::vector<Algorithm> algorithms = requested_algorithms(options, contraction);
  if (!options.emit.empty()) {
    const contract::Language language = options.emit == "c" ? contract::Language::c : contract::Language::cpp;
    emit(contract::emit(algorithms, contraction, language), common);
    return;
  }
  if (options.list) {
    show_list(algorithms, contraction, common);
    return;
  }
  const std::vector<Algorithm> chosen = candidates(callable(algorithms, contraction, common), options, common);
  const machine::WallClock begins_to_calibrate(0);  // while libraries are opened
  const Workbench bench = Workbench::opened(options.libraries, run_context(common));
  show_ranking(make_ranking(options, contraction, chosen, bench, common), contraction, options, bench.environment(), common);
}

}  // namespace

void add_contract_command(OptionSet& app, CommonOptions& common) {
  auto options = std::make_shared<ContractOptions>();
  OptionSet command = app.add_command("contract", "Rank the BLAS-based algorithms of a tensor contraction without running them; run it");
  command.option("contraction", options->notation, "Such as abc=ai,ibc (C = A, B)").required();
  command.option("sizes", options->sizes, "Size of every index, such as a=b=c=400 i=8").placeholder("INDEX=SIZE ...");
  command.flag("--list", options->list, "List the algorithms; nothing is measured");
  command.option("--emit", options->emit, "Write the algorithms as functions that call CBLAS: c or c++").choices({"c", "c++"});
  command.option("--algorithm", options->algorithm, "Only the one of this name, such as c-gemm").placeholder("NAME");
  command.option("--kernel", options->kernels, "Only algorithms of this kernel; may be repeated")
      .choices({"dot", "axpy", "gemv", "ger", "gemm"})
      .repeatable();
  command.option("--precision", options->precision, "s, d, c or z").choices({"s", "d", "c", "z"}).show_default();
  command.option("--order", options->order, "How tensors lie in memory: column or row (which index is contiguous: first or last)")
      .choices({"column", "row"})
      .show_default();
  command.option("--strides", options->strides, "Strides of an operand in elements, one per index, such as A=1,512; may be repeated")
      .placeholder("OPERAND=STRIDES")
      .repeatable();
  command.flag("--all", options->all, "Rank algorithms of all kernels, and show all of them");
  command.flag("--run", options->run, "Plan it with the planner (tiles, packing, streaming) and run it on random numbers");
  command.option("--in", options->inputs, "Contract these .npy files, A's then B's, in operand of random numbers; twice")
      .placeholder("FILE")
      .repeatable();
  command.option("--out", options->result, "Write C to this .npy file").placeholder("FILE");
  command
      .option("--effort", options->effort,
              "Of --run's planner: estimate (by models), microbench (tiles of the best few), or measure (execute them)")
      .choices({"estimate", "microbench", "measure"})
      .show_default();
  command
      .option("--tiles", options->tiles,
              "Of --run: these tiles of M, N and K instead of the planner's choice, such as 96x512x64 (gemm), 96x512x64:panels, "
              "96x512x8:streaming, and with rows in another order than C's 96x512x64:panels:interleaved, :interleavedA or :A, with C "
              "written past the "
              "caches 96x512x64:panels:streamC, with loops over tiles in "
              "another order than nkm (from the outside in) 96x512x64:gemm:nmk, with an operand's tiles kept packed until no loop needs "
              "them again 96x512x64:panels:mkn:keepB; "
              "whole: transpose, one gemm, transpose; batch: along the batch")
      .placeholder("MxNxK[:KERNEL[:ROWS][:LOOPS][:keepOPERANDS]]");
  command.option("--time-budget", options->time_budget, "For measuring candidates").placeholder("DURATION").show_default();
  command.flag("--validate", options->validate, "Execute the algorithms too, on random numbers, and compare");
  command
      .option("--stage", options->stage,
              "What micro-benchmarks recreate: repeated (nothing), distance (how long ago operands were used), prefetching, failures "
              "(of prefetching), first (iterations of loops), each with those before it: single calls, as in the paper; segments: "
              "consecutive calls together")
      .choices({"repeated", "distance", "prefetching", "failures", "first", "segments"})
      .show_default();
  command.option("--prefetched-lines", options->prefetched_lines, "Cache lines of an operand that prefetching has brought (the paper: 1)")
      .range(1, 1000000)
      .show_default();
  command.option("--repetitions", options->repetitions, "Of each micro-benchmark").range(1, 1000).show_default();
  command.flag("--fresh", options->fresh, "Measure anew what the store already has: kernels, and choices of --run's planner");
  add_library_options(command, options->libraries);
  command.find("--threads").describe("threads of the BLAS; of --run and --in the planner's, around a BLAS on one thread");
  command.footer(footer);
  command.action([options, command, &common] { run_contract(*options, command, common); });
}

}  // namespace flopcast::cli
