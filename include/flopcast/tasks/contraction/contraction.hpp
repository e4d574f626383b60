#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "flopcast/contract/algorithms/algorithm.hpp"
#include "flopcast/contract/network/plan.hpp"
#include "flopcast/contract/notation/contraction.hpp"
#include "flopcast/contract/notation/expression.hpp"
#include "flopcast/contract/planner/contraction_plan.hpp"
#include "flopcast/contract/prediction/predicted_time.hpp"
#include "flopcast/core/environment.hpp"
#include "flopcast/core/statistics.hpp"
#include "flopcast/machine/libraries/installed_libraries.hpp"
#include "flopcast/support/run_context.hpp"
#include "flopcast/support/units.hpp"

/// Tensor contractions with the tools of a Workbench: plan and execute expressions of any number of operands, compute .npy files, rank
/// the BLAS-based algorithms of two tensors.
namespace flopcast {

class Workbench;

/// The way in which an expression is planned. Store, trials and cancellation are those of the workbench and of the context.
using PlanRequest = contract::PlanOptions;

/// Returns the choice for a Workbench that plans contractions: the same BLAS on one thread. An empty name becomes that of a library that
/// choice.threads threads may call.
machine::LibraryChoice planning_libraries(machine::LibraryChoice choice);

/// Plans an expression of any number of operands; the plan executes it on any buffers. Measured choices are kept in the store and found
/// again. Throws bad_input if the BLAS of `bench` has several threads, and what contract::plan() throws. Throws Cancelled if the context
/// cancels the choice; then nothing is kept of it.
contract::Plan plan(const Workbench& bench, const contract::SizedExpression& expression, const contract::EinsumStrides& strides = {},
                    const PlanRequest& request = {}, const RunContext& context = {});

/// Plans an expression of dense tensors of these shapes, one per operand, in any of the notations that contract::parse_expression() reads.
contract::Plan plan(const Workbench& bench, std::string_view expression, const std::vector<std::vector<std::int64_t>>& shapes,
                    const PlanRequest& request = {}, const RunContext& context = {});

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
  std::int64_t resident_bytes = 0;          ///< peak of resident memory: operands, result and workspace; 0: not known
  std::vector<ConsideredTiles> considered;  ///< at most 16, the chosen tiles first
  std::string loops;                        ///< order of the loops over tiles, such as "nkm"
  std::string kept;                         ///< operands whose packed tiles are kept, such as "AC"
  bool decided = true;                      ///< the choice is final; false while executions of an incremental plan try candidates
  friend bool operator==(const PlanSummary&, const PlanSummary&) = default;
};

/// Returns the summary of a plan. No tiles were considered where no BLAS is needed, and for three operands and more.
PlanSummary summary(const contract::Plan& plan);

/// A step of a plan: a product of two tensors, or the sum or copy of one.
struct PlannedStep {
  std::string step;       ///< such as "t1[ac] := operand1[ab] operand2[bc]"
  double executions = 1;  ///< 1, or the number of blocks for which the step is repeated
  double flops = 0;       ///< flops of all executions; the next two count all executions, too
  double bytes = 0;       ///< elements read and written
  Seconds seconds = 0;    ///< predicted time
  friend bool operator==(const PlannedStep&, const PlannedStep&) = default;
};

/// A label that is cut into blocks, because the intermediates would have no room.
struct BlockedLabel {
  std::string label;
  std::int64_t size = 1, block_size = 1;  ///< elements along the label, and of a block; the last block may be shorter
  friend bool operator==(const BlockedLabel&, const BlockedLabel&) = default;
};

/// The steps of a plan, in their order. Tensors are "operand1" and so on, intermediates "t1" and so on, and "output".
struct PlannedSteps {
  std::vector<PlannedStep> steps;
  std::vector<BlockedLabel> blocks;
  bool is_exhaustive = true;  ///< no other order of the operands was skipped by the search
  friend bool operator==(const PlannedSteps&, const PlannedSteps&) = default;
};

/// Sizes of labels. JSON has them by the labels' characters: {"a": 400}.
struct LabelSizes : std::map<contract::Label, std::int64_t> {
  using std::map<contract::Label, std::int64_t>::map;
  LabelSizes(std::map<contract::Label, std::int64_t> sizes) : map(std::move(sizes)) {}  // NOLINT(google-explicit-constructor): one thing
};

/// An expression with the sizes and strides of its tensors.
struct TensorsRequest {
  contract::Expression expression;
  LabelSizes sizes = {};                                          ///< sizes of all labels
  std::map<std::string, std::vector<std::int64_t>> strides = {};  ///< in elements, by tensor (contract::give_strides()); missing: dense
};

/// Return what a request's tensors are. Throw bad_input for sizes and strides that don't suit the expression.
contract::SizedExpression sized(const TensorsRequest& tensors);
contract::EinsumStrides strides_of(const TensorsRequest& tensors);

/// An expression that is to be planned, and executed if wanted.
struct ContractionRequest : TensorsRequest {  // files have sizes and strides of their own
  std::vector<std::string> operands = {};     ///< paths of .npy files, in the expression's order; empty: random numbers
  std::string result = {};                    ///< path of the file that takes the result; only with files
  PlanRequest plan = {};                      ///< files have a precision and an order of their own
  bool execute = true;                        ///< false: the plan is only described
};

/// A planned expression with its steps, and the times of its executions.
struct ContractionResult {
  std::string expression;                     ///< in einsum's notation
  std::map<std::string, std::int64_t> sizes;  ///< size of each label
  Precision precision = Precision::d;
  PlanSummary plan;
  double flops = 0;              ///< floating-point operations of one execution
  Seconds planning_seconds = 0;  ///< time until the plan was ready, without the time for opening the machine
  std::vector<Seconds> times;    ///< time of each execution; empty for a plan that is only described
  double flops_per_second = 0;   ///< rate of the median execution
  PlannedSteps steps;
  friend bool operator==(const ContractionResult&, const ContractionResult&) = default;
};

/// Plans an expression.
/// - With request.execute, the plan is executed on random numbers for a second: at least 3 and at most 100 times. An incremental plan is
///   executed until its choice is made, for time_budget at most.
/// - Without, nothing is executed by Effort::estimate, and three operands and more need no memory.
/// - Files are computed once. The result is written as a whole or not at all, row-major; .npy has float32, float64, complex64 or
/// complex128.
///   Operands with one file are one tensor.
/// Throws bad_input, which names the file, if a file isn't .npy or contradicts the expression, and if the result's file is an operand's.
/// Throws environment_error if the tensors need more memory than is available, and what plan() throws.
ContractionResult run_contraction(const Workbench& bench, const ContractionRequest& request, const RunContext& context = {});

/// BLAS-based algorithms of a contraction of two tensors.
struct AlgorithmsRequest : TensorsRequest {
  Precision precision = Precision::d;
  contract::Order order = contract::Order::row_major;
  std::vector<contract::BlasKernel> kernels = {};  ///< only algorithms of these kernels; empty: all
  std::string algorithm = {};                      ///< only the algorithm of this name, such as "c-gemm"; empty: all
};

/// The BLAS-based algorithms that are to be ranked, and how.
struct RankAlgorithmsRequest : AlgorithmsRequest {
  bool all = false;  ///< without kernels, algorithms of all BLAS levels; otherwise those of the highest level that there is
  contract::Stage stage = contract::Stage::segments;
  std::int64_t repetitions = 10;      ///< repetitions of each micro-benchmark (Peise et al. 2015, section 3.1)
  std::int64_t prefetched_lines = 1;  ///< cache lines of an operand that prefetching has brought
  bool validate = false;              ///< execute the algorithms too, and compare
  bool fresh = false;                 ///< measure kernels again that the store already has
};

/// An algorithm with its predicted and, if it was executed, its measured time.
struct RankedAlgorithm {
  contract::Algorithm algorithm;
  contract::AlgorithmForecast forecast;
  double flops_per_cycle = 0;       ///< predicted floating-point operations per cycle of a core's clock
  std::int64_t resident_bytes = 0;  ///< peak of resident memory: the three tensors and the copies; 0: not known
  bool tie = false;                 ///< the forecast can't be distinguished from the fastest one
  std::optional<Seconds> measured_seconds = {};
  friend bool operator==(const RankedAlgorithm&, const RankedAlgorithm&) = default;
};

/// Algorithms of a contraction by predicted time.
struct AlgorithmRanking {
  /// Settings of the request on which times depend.
  struct Options {
    contract::Stage stage = contract::Stage::segments;
    std::int64_t repetitions = 0, prefetched_lines = 0;
    friend bool operator==(const Options&, const Options&) = default;
  };
  struct Cost {
    Seconds seconds = 0;         ///< time that the prediction took
    std::size_t benchmarks = 0;  ///< different micro-benchmarks
    std::size_t shared = 0;      ///< how often an algorithm reused another one's micro-benchmark
    std::size_t known = 0;       ///< micro-benchmarks that were measured in earlier runs
    friend bool operator==(const Cost&, const Cost&) = default;
  };
  contract::Contraction contraction;
  Environment environment;
  Options options;
  std::vector<RankedAlgorithm> algorithms;  ///< the fastest first
  Cost cost;
  std::optional<double> mean_error = {};  ///< mean of |predicted / measured - 1| over executed algorithms (Peise et al. 2015, figure 1)
  std::optional<double> regret = {};      ///< fraction by which the algorithm predicted to be the fastest takes longer than the fastest one
  friend bool operator==(const AlgorithmRanking&, const AlgorithmRanking&) = default;
};

/// Predicts the times of the BLAS-based algorithms of a contraction from micro-benchmarks, without executing the algorithms. Timings are
/// kept in the store. Algorithms whose calls BLAS's 32-bit integers can't express are skipped, and the context's note says so. Throws
/// bad_input if no algorithm is left, Cancelled if the context cancels the measurement.
AlgorithmRanking rank_algorithms(const Workbench& bench, const RankAlgorithmsRequest& request, const RunContext& context = {});

/// Algorithms of a contraction, without times.
struct AlgorithmList {
  contract::Contraction contraction;
  std::vector<contract::Algorithm> algorithms;
  friend bool operator==(const AlgorithmList&, const AlgorithmList&) = default;
};

/// Lists the algorithms of a contraction; nothing is measured. Throws bad_input if there is none.
AlgorithmList list_algorithms(const AlgorithmsRequest& request);

/// Returns results as JSON documents: "flopcast-contraction-1" for a plan and its executions, "flopcast-contract-1" for a ranking and a
/// list.
std::string to_json(const ContractionResult& result);
std::string to_json(const AlgorithmRanking& ranking);
std::string to_json(const AlgorithmList& list);

/// Read documents back. Throw bad_input, which names the member, for text that isn't such a document.
ContractionResult contraction_result_from_json(std::string_view text);
AlgorithmRanking algorithm_ranking_from_json(std::string_view text);
AlgorithmList algorithm_list_from_json(std::string_view text);

/// Contractions whose tensors may be stored in other orders of their axes than the written ones. Tensors of one name are one tensor. All
/// are dense, and the last axis is contiguous.
struct LayoutsRequest {
  std::vector<std::string> contractions;  ///< in the notations of contract::parse_named_expression(), such as "W_abij := V_abcd T_cdij"
  LabelSizes sizes = {};                  ///< sizes of all labels of all contractions
  std::vector<std::string> layouts = {};  ///< names of free tensors, "T" or "T,V"; a conversion of any other tensor counts
  std::int64_t executions = 1;            ///< executions of each contraction for one conversion of a tensor
  Precision precision = Precision::d;
  int threads = 1;            ///< threads that share a contraction
  bool validate = false;      ///< run the fastest few orders, the written ones, and what differs from the fastest in one tensor
  Duration time_budget = 60;  ///< longest time for runs
};

/// Order of a tensor's axes in memory. Axes have the labels of the tensor's first appearance.
struct TensorOrder {
  std::string tensor;
  std::string written;     ///< order of the axes as written, such as "abcd"; the last is contiguous
  std::string order;       ///< chosen order
  bool is_free = false;    ///< no conversion is counted
  double bytes = 0;        ///< bytes of the elements
  Seconds conversion = 0;  ///< predicted time of one conversion from or to the written order; 0 for a free tensor
  friend bool operator==(const TensorOrder&, const TensorOrder&) = default;
};

/// A contraction with the chosen orders.
struct OrderedContraction {
  std::string contraction;      ///< such as "abij,bacd->..." with the axes of each tensor in their chosen order
  Seconds written_seconds = 0;  ///< predicted time of one execution in the written orders
  Seconds seconds = 0;          ///< predicted time in the chosen orders
  friend bool operator==(const OrderedContraction&, const OrderedContraction&) = default;
};

/// A combination of orders that was compared. Times are of all executions of all contractions, with the conversions.
struct ComparedOrders {
  std::string orders;                            ///< orders of the tensors that differ from the written ones, such as "T=ijcd V=abdc"
  Seconds seconds = 0;                           ///< predicted time
  std::optional<Seconds> measured_seconds = {};  ///< only with LayoutsRequest::validate
  double speed_up = 1;                           ///< time in the written orders over time in these: measured if both were run
  Interval speed_up_interval = {1, 1};           ///< 95 %
  /// Returns whether these orders and the written ones tie: the interval contains 1.
  [[nodiscard]] bool ties() const { return speed_up_interval.low <= 1 && speed_up_interval.high >= 1; }
  friend bool operator==(const ComparedOrders&, const ComparedOrders&) = default;
};

/// Orders of tensors in memory that make contractions fast.
struct LayoutsResult {
  std::vector<TensorOrder> tensors;
  std::vector<OrderedContraction> contractions;
  std::vector<ComparedOrders>
      compared;                   ///< the chosen orders first, then the next best; the written orders are the last, unless they are chosen
  std::int64_t combinations = 0;  ///< combinations of orders whose time was predicted
  bool is_exhaustive = false;     ///< all combinations were predicted
  friend bool operator==(const LayoutsResult&, const LayoutsResult&) = default;
};

/// Chooses the orders of the axes of all tensors by the planner's predictions. The intervals of predicted speed-ups need measured ones: the
/// first call on a machine runs a few small contractions for them (seconds), and keeps the result in the store. Throws bad_input for a contraction that can't be read, a
/// missing size, a name that no tensor has, and axes of one tensor that have different sizes or numbers in two contractions. Throws
/// Cancelled if the context cancels the comparison.
LayoutsResult choose_layouts(const Workbench& bench, const LayoutsRequest& request, const RunContext& context = {});

/// Returns the result as a "flopcast-layouts-1" document.
std::string to_json(const LayoutsResult& result);
/// Throws bad_input, which names the member, for text that isn't such a document.
LayoutsResult layouts_result_from_json(std::string_view text);

}  // namespace flopcast
