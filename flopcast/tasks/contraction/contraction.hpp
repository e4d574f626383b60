#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "flopcast/contract/algorithms/algorithm.hpp"
#include "flopcast/contract/algorithms/emit.hpp"
#include "flopcast/contract/algorithms/generate.hpp"
#include "flopcast/contract/notation/contraction.hpp"
#include "flopcast/contract/notation/npy.hpp"
#include "flopcast/contract/planner/plan.hpp"
#include "flopcast/contract/prediction/predicted_time.hpp"
#include "flopcast/contract/prediction/stage.hpp"
#include "flopcast/core/environment.hpp"
#include "flopcast/machine/libraries/library_choice.hpp"
#include "flopcast/support/run_context.hpp"
#include "flopcast/support/units.hpp"

/// Tensor contractions with the tools of a Workbench: plan and execute them, contract .npy files, rank the BLAS-based algorithms.
namespace flopcast {

class Workbench;

/// The way in which a contraction is planned.
struct PlanRequest {
  contract::Effort effort = contract::Effort::estimate;
  int threads = 1;                             ///< threads that share the contraction, around a BLAS on one thread
  Seconds time_budget = 2;                     ///< seconds for measuring candidates, or for a run that decides an incremental plan
  std::optional<contract::Tiling> tiles = {};  ///< if set, these tiles are used, and nothing is chosen
  bool fresh = false;                          ///< measure kernels and choices again that the store already has
  /// Used with shapes: elements, and strides in elements of A, B and C; an empty list means dense in `order`.
  Precision precision = Precision::d;
  contract::Order order = contract::Order::row_major;
  std::array<std::vector<std::int64_t>, 3> strides = {};
  /// Largest number of bytes of all intermediates that exist at once, for three operands and more. Labels are cut into blocks where nothing
  /// else fits. Intermediates never take more than half of the available memory.
  double max_bytes = std::numeric_limits<double>::infinity();
  /// One number per operand, for three operands and more. Operands with equal numbers from 0 on are one tensor. Empty: none are.
  std::vector<int> tensors = {};
};

/// Returns the choice for a Workbench that plans contractions: the same BLAS on one thread. An empty name becomes that of a library that
/// choice.threads threads may call.
machine::LibraryChoice planning_libraries(machine::LibraryChoice choice);

/// Chooses how to compute a contraction; the plan executes it on any buffers. Measured choices are kept in the store and found again.
/// Throws bad_input if the BLAS of `bench` has several threads, and what contract::plan() throws. Throws Cancelled if the context cancels
/// the choice; then nothing is kept of it.
contract::Plan plan(const Workbench& bench, const contract::Contraction& contraction, const PlanRequest& request = {},
                    const RunContext& context = {});

/// Tiles that a plan considered.
struct ConsideredTiles {
  std::string tiles;
  Seconds seconds = 0;  ///< expected time of one execution
  std::string basis;    ///< source of the time: "model", "micro-benchmark" or "execution"
  friend bool operator==(const ConsideredTiles&, const ConsideredTiles&) = default;
};

/// A plan in words and numbers.
struct PlanSummary {
  std::string explanation;
  Seconds seconds = 0;                      ///< expected time of one execution
  std::int64_t workspace_bytes = 0;         ///< bytes for packing
  std::vector<ConsideredTiles> considered;  ///< at most 16, the chosen tiles first
  std::string loops;                        ///< order of the loops over tiles, such as "nkm"
  std::string kept;                         ///< operands whose packed tiles are kept, such as "AC"
  bool decided = true;                      ///< the choice is final; false while executions of an incremental plan try candidates
  friend bool operator==(const PlanSummary&, const PlanSummary&) = default;
};

/// Returns the summary of a plan.
PlanSummary summary(const contract::Plan& plan);

/// A contraction and its plan.
struct PlannedContraction {
  contract::Contraction contraction;
  PlanSummary plan;
  friend bool operator==(const PlannedContraction&, const PlannedContraction&) = default;
};

/// A contraction that was planned and executed.
struct ContractionRun {
  contract::Contraction contraction;
  PlanSummary plan;
  Seconds planning_seconds = 0;  ///< time until the plan was ready, without the time for opening the machine
  std::vector<Seconds> times;    ///< time of each execution
  double flops_per_second = 0;   ///< rate of the median execution
  friend bool operator==(const ContractionRun&, const ContractionRun&) = default;
};

/// Plans a contraction and executes it on random numbers for a second: at least 3 and at most 100 times. An incremental plan is executed
/// until its choice is made, for request.time_budget at most. Throws environment_error if the
/// tensors need more memory than is available, and what plan() throws.
ContractionRun run_contraction(const Workbench& bench, const contract::Contraction& contraction, const PlanRequest& request = {},
                               const RunContext& context = {});

/// A contraction of two .npy files into a third.
struct ContractFilesRequest {
  std::string notation;
  std::string a, b, c;    ///< paths of the operands and of the result
  PlanRequest plan = {};  ///< its precision, order and strides aren't used: the files have their own
};

/// Contracts .npy files. The result is written as a whole or not at all; .npy has float32, float64, complex64 or complex128. One file as
/// both operands is one tensor. Throws bad_input, which names the file, if a file isn't .npy or contradicts the notation, and if the
/// result's file is an operand's.
ContractionRun contract_files(const Workbench& bench, const ContractFilesRequest& request, const RunContext& context = {});

/// The BLAS-based algorithms that are to be ranked, and how.
struct RankAlgorithmsRequest {
  std::vector<contract::Kernel> kernels;  ///< only algorithms of these kernels; empty: those of the highest BLAS level that there is
  std::string algorithm;                  ///< only the algorithm of this name, such as "c-gemm"; empty: all
  bool all = false;                       ///< algorithms of all BLAS levels
  contract::Stage stage = contract::Stage::segments;
  std::int64_t repetitions = 10;      ///< repetitions of each micro-benchmark (paper 002, section 3.1)
  std::int64_t prefetched_lines = 1;  ///< cache lines of an operand that prefetching has brought
  bool validate = false;              ///< execute the algorithms too, and compare
  bool fresh = false;                 ///< measure kernels again that the store already has
};

/// An algorithm with its predicted and, if it was executed, its measured time.
struct RankedAlgorithm {
  contract::Algorithm algorithm;
  contract::Forecast forecast;
  double flops_per_cycle = 0;  ///< predicted floating-point operations per cycle of a core's clock
  bool tie = false;            ///< the forecast can't be distinguished from the fastest one
  std::optional<Seconds> measured_seconds = {};
  friend bool operator==(const RankedAlgorithm&, const RankedAlgorithm&) = default;
};

/// Algorithms of a contraction by predicted time.
struct AlgorithmRanking {
  contract::Contraction contraction;
  Environment environment;
  contract::Stage stage = contract::Stage::segments;
  std::int64_t repetitions = 0, prefetched_lines = 0;
  std::vector<RankedAlgorithm> algorithms;  ///< the fastest first
  Seconds cost_seconds = 0;                 ///< time that the prediction took
  std::size_t benchmarks = 0;               ///< different micro-benchmarks
  std::size_t shared = 0;                   ///< how often an algorithm reused another one's micro-benchmark
  std::size_t known = 0;                    ///< micro-benchmarks that were measured in earlier runs
  std::optional<double> mean_error = {};    ///< mean of |predicted / measured - 1| over executed algorithms (paper 002, figure 1)
  std::optional<double> regret = {};  ///< fraction by which the algorithm predicted to be the fastest takes longer than the fastest one
  friend bool operator==(const AlgorithmRanking&, const AlgorithmRanking&) = default;
};

/// Predicts the times of the BLAS-based algorithms of a contraction from micro-benchmarks, without executing the algorithms. Timings are
/// kept in the store. Algorithms whose calls BLAS's 32-bit integers can't express are left out, and the context's note says so. Throws
/// bad_input if no algorithm is left, Cancelled if the context cancels the measurement.
AlgorithmRanking rank_algorithms(const Workbench& bench, const contract::Contraction& contraction,
                                 const RankAlgorithmsRequest& request = {}, const RunContext& context = {});

/// Algorithms of a contraction, without times.
struct AlgorithmList {
  contract::Contraction contraction;
  std::vector<contract::Algorithm> algorithms;
  friend bool operator==(const AlgorithmList&, const AlgorithmList&) = default;
};

/// Returns results as JSON documents: "flopcast-contract-run-1" for a run, "flopcast-contract-plan-1" for a plan, "flopcast-contract-1" for
/// a ranking and a list.
std::string to_json(const ContractionRun& run);
std::string to_json(const PlannedContraction& planned);
std::string to_json(const AlgorithmRanking& ranking);
std::string to_json(const AlgorithmList& list);

/// Read documents back. Throw bad_input, which names the member, for text that isn't such a document.
ContractionRun contraction_run_from_json(std::string_view text);
PlannedContraction planned_contraction_from_json(std::string_view text);
AlgorithmRanking algorithm_ranking_from_json(std::string_view text);
AlgorithmList algorithm_list_from_json(std::string_view text);

}  // namespace flopcast
