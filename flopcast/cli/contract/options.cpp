#include <memory>
#include <string>
#include <vector>

#include "flopcast/cli/contract/request.hpp"
#include "flopcast/cli/contract/tables.hpp"
#include "flopcast/cli/shared/command.hpp"
#include "flopcast/cli/shared/library_options.hpp"
#include "flopcast/cli/shared/option_set.hpp"
#include "flopcast/cli/shared/options.hpp"
#include "flopcast/support/run_context.hpp"
#include "flopcast/tasks/contraction/contraction.hpp"
#include "flopcast/workbench/workbench.hpp"

namespace flopcast::cli {
namespace {

constexpr const char* footer =
    R"(A contraction is abc=ai,ibc (indices of C = those of A, B), 'C_abc := A_ai B_ibc', or 'ai,ibc->abc'; sizes are
a=400 b=c=400 i=8.
With --run, --in and --explain, NumPy's whole notation is possible: 'iij->j', '...i,i', 'conj(ki),kj'. Three operands
and more are computed by a tree of pairwise contractions; without --run and --in, its steps are shown as with --explain.
Algorithms are called as in Peise et al. 2015: the loops from the outside in, ' for a copy in the loop before it, the
kernel.

Examples:
  flopcast contract abc=ai,ibc a=b=c=64 i=8
  flopcast contract abc=ai,ibc a=b=c=64 i=8 --blas-kernels gemv --validate
  flopcast contract abc=ija,jbic a=b=c=64 i=j=8 --run
  flopcast contract 'ab,bc,cd->ad' a=b=400 c=20 d=400
  flopcast contract 'conj(ki),kjx->ij' i=j=k=64 x=2 --precision z --run
  flopcast contract 'ija,jbic->abc' a=b=c=100 i=j=8 --list --blas-kernels gemm --json
  flopcast contract 'C_abc := A_ija B_jbic' a=b=c=100 i=j=8 --emit c --algorithm "i'c-gemm")";

void run_contract(const ContractOptions& options, const OptionSet& command, const CommonOptions& common) {
  const contract::Expression expression = contract::parse_expression(options.notation);
  check(options, expression, command, common);
  const RunContext context = keeping_if_possible(run_context(common));
  if (options.plans(expression)) {
    const ContractionRequest request = contraction_request(options, expression);
    const Workbench bench(planning_libraries(options.libraries), context);
    show_result(run_contraction(bench, request, context), common);
    return;
  }
  const contract::Contraction contraction = requested_contraction(options, expression);
  const RankAlgorithmsRequest request = ranking_request(options);
  if (options.list || !options.emit.empty()) {
    const std::vector<contract::Algorithm> algorithms = contract::choose_algorithms(contraction, request.kernels, request.algorithm);
    if (options.list) {
      show_list({contraction, algorithms}, common);
    } else {
      emit(contract::emit(algorithms, contraction, options.emit == "c" ? contract::Language::c : contract::Language::cpp), common);
    }
    return;
  }
  const Workbench bench(options.libraries, context);
  show_ranking(rank_algorithms(bench, contraction, request, context), options.all, common);
}

void add_problem_options(OptionSet& command, ContractOptions& options) {
  command
      .option("contraction", options.notation,
              "Contraction such as abc=ai,ibc (indices of C = those of A, B), or expression of several operands")
      .required();
  command.option("sizes", options.sizes, "Size of every index, such as a=b=c=400 i=8").placeholder("INDEX=SIZE ...");
  command.option("--precision", options.precision, "Type of elements: s, d, c or z").choices({"s", "d", "c", "z"}).show_default();
  command.option("--order", options.order, "Order of dense tensors in memory: column (the first index is contiguous) or row (the last is)")
      .choices({"column", "row"})
      .show_default();
  command
      .option(
          "--strides", options.strides,
          "Strides of a tensor in elements, one per index, such as A=1,512 (A, B and C; in expressions also 1, 2, ... and result); may be "
          "repeated")
      .placeholder("TENSOR=STRIDES")
      .repeatable();
}

void add_ranking_options(OptionSet& command, ContractOptions& options) {
  command.flag("--list", options.list, "List the algorithms; nothing is measured");
  command.option("--emit", options.emit, "Write the algorithms as functions that call CBLAS: c or c++").choices({"c", "c++"});
  command.option("--algorithm", options.algorithm, "Rank only the algorithm of this name, such as c-gemm").placeholder("NAME");
  command.option("--blas-kernels", options.kernels, "Rank only algorithms around this BLAS kernel; may be repeated")
      .choices({"dot", "axpy", "gemv", "ger", "gemm"})
      .repeatable();
  command.flag("--all", options.all, "Rank algorithms of all BLAS levels, and show all of them");
  command.flag("--validate", options.validate, "Execute the algorithms too, on random numbers, and compare");
  command
      .option("--stage", options.stage,
              "Part of the algorithms' cache behaviour that micro-benchmarks recreate. repeated: nothing; distance: how long ago operands "
              "were used; prefetching; failures (of prefetching); first (iterations of loops). Each of these includes those before it, and "
              "times single calls, as Peise et al. 2015 do. segments: consecutive calls are timed together")
      .choices({"repeated", "distance", "prefetching", "failures", "first", "segments"})
      .show_default();
  command
      .option("--prefetched-lines", options.prefetched_lines,
              "Cache lines of an operand that prefetching has brought (Peise et al. 2015: 1)")
      .range(1, 1000000)
      .show_default();
  command.option("--repetitions", options.repetitions, "Repetitions of each micro-benchmark").range(1, 1000).show_default();
}

void add_run_options(OptionSet& command, ContractOptions& options) {
  command.flag("--run", options.run, "Plan the contraction (tiles, packing, streaming) and run it on random numbers");
  command.flag("--explain", options.explain, "Show the steps of the plan with their flops, bytes and predicted times; nothing is executed");
  command
      .option("--max-bytes", options.max_bytes,
              "Largest memory of the intermediates of three operands and more, such as 2GiB. Labels are cut into blocks where nothing else "
              "fits (default: half of the available memory)")
      .placeholder("SIZE");
  command.option("--in", options.inputs, "Read the operands from these .npy files, in their order; once for each operand")
      .placeholder("FILE")
      .repeatable();
  command.option("--out", options.result, "Write C to this .npy file").placeholder("FILE");
  command
      .option("--effort", options.effort,
              "Effort of the planner with --run and --in: estimate (by models), microbench (time tiles of the best few) or measure "
              "(execute the best few). With --run also incremental: each run tries one of the best few, until the fastest is known")
      .choices({"estimate", "microbench", "measure", "incremental"})
      .show_default();
  command
      .option("--tiles", options.tiles,
              "Tiles of M, N and K instead of the planner's choice: 96x512x64 (by gemm), 96x512x64:panels or 96x512x8:streaming. Behind "
              "the kernel: another order of rows than C's (:interleaved, :interleavedA, :A), C written past the caches (:streamC), K split "
              "between threads (:splitK). Then, from the outside in, another order of the loops over tiles than nkm (:nmk). At the end: "
              "operands whose packed tiles are kept until no loop needs them again (:keepB). whole: transpose, one gemm, transpose; "
              "batch: along the batch")
      .placeholder("MxNxK[:KERNEL[:ROWS][:LOOPS][:keepOPERANDS]]");
  command
      .option("--time-budget", options.time_budget, "Longest time for measuring candidates with --run and --in, and for runs that try them")
      .placeholder("DURATION")
      .show_default()
      .setting("time-budget");
}

}  // namespace

void add_contract_command(OptionSet& app, CommonOptions& common) {
  auto options = std::make_shared<ContractOptions>();
  OptionSet command = app.add_command("contract", "Rank the BLAS-based algorithms of a tensor contraction without running them; run it");
  add_problem_options(command, *options);
  add_ranking_options(command, *options);
  add_run_options(command, *options);
  command.flag("--fresh", options->fresh, "Measure again what the store already has: kernels, and choices of the planner");
  add_library_options(command, options->libraries);
  command.find("--threads")
      .describe("Threads of the BLAS; with --run, --in and --explain, threads of the planner around a BLAS on one thread");
  command.footer(footer);
  command.action([options, command, &common] { run_contract(*options, command, common); });
}

}  // namespace flopcast::cli
