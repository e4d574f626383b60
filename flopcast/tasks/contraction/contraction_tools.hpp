#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "flopcast/contract/algorithms/execute.hpp"
#include "flopcast/contract/planner/plan.hpp"
#include "flopcast/contract/prediction/forecast.hpp"
#include "flopcast/tasks/contraction/contraction.hpp"
#include "flopcast/tasks/contraction/einsum.hpp"

/// The contraction tasks without a Workbench: what they need of a machine comes as functions, which tests replace.
namespace flopcast {

/// The machine of planned contractions.
struct PlanningTools {
  std::function<contract::Machine()> machine;               ///< called when it is first needed
  std::function<model::Store*()> store;                     ///< keeps choices; called when it is first needed; may return null
  std::function<Seconds()> now;                             ///< time in seconds since any moment
  std::shared_ptr<contract::TrialMemory> trials = nullptr;  ///< as contract::PlanOptions::trials
};

contract::Plan plan(const PlanningTools& tools, const contract::Contraction& contraction, const PlanRequest& request,
                    const RunContext& context);
ContractionRun run_contraction(const PlanningTools& tools, const contract::Contraction& contraction, const PlanRequest& request,
                               const RunContext& context);
ContractionRun contract_files(const PlanningTools& tools, const ContractFilesRequest& request, const RunContext& context);

EinsumRun run_einsum(const PlanningTools& tools, const contract::SizedExpression& expression, const contract::EinsumStrides& strides,
                     const PlanRequest& request, const RunContext& context);
PlannedExpression explain_einsum(const PlanningTools& tools, const contract::SizedExpression& expression,
                                 const contract::EinsumStrides& strides, const PlanRequest& request, const RunContext& context);
EinsumRun einsum_files(const PlanningTools& tools, const EinsumFilesRequest& request, const RunContext& context);

/// Returns the tools of a Workbench. Throws bad_input if its BLAS has several threads.
PlanningTools tools_of(const Workbench& bench, const PlanRequest& request);
/// Returns the planner's options for a request.
contract::PlanOptions plan_options(const PlanningTools& tools, const PlanRequest& request, const RunContext& context);
/// Notes where requested tiles ask for buffers that nothing would use a second time, or for C to be streamed where C can't be.
void note_what_is_dropped(const contract::Plan& plan, const PlanRequest& request, const RunContext& context);
/// Notes numbers of a file whose products take another time than those of usual numbers.
void note_special_numbers(const contract::Array& array, const std::string& file, const RunContext& context);
/// Returns strides of a dense array.
std::vector<std::int64_t> strides_of(const contract::Array& array);
/// Throws bad_input if the result's file is an operand's.
void require_result_apart(std::span<const std::string> operands, const std::string& result);
/// Throws environment_error if a result of this shape, and the contents of its file, need more memory than is available.
void require_room_for_result(const std::vector<std::int64_t>& shape, Precision precision, const std::string& file);
/// Calls `execute` for a second: at least 3 and at most 100 times. Goes on for `budget` seconds while `is_undecided` returns true. Returns
/// the time of each call.
std::vector<Seconds> times_of(const PlanningTools& tools, const RunContext& context, const std::function<void()>& execute,
                              const std::function<bool()>& is_undecided, Seconds budget);

/// The machine of rankings.
struct RankingTools {
  Environment environment;
  int threads = 1;             ///< threads of the BLAS
  contract::FindRoutine find;  ///< the BLAS
  contract::Measure measure;   ///< times experiments
  contract::TimingMemory memory;
  std::function<double()> core_frequency;  ///< cycles per second
  /// Executes algorithms, for which times are predicted. Returns their times, NaN for one that wasn't executed.
  std::function<std::vector<Seconds>(std::span<const contract::Algorithm> algorithms, std::span<const Seconds> predicted)> execute;
  std::function<Seconds()> now;
  /// Returns the relative standard deviation between sessions, as RunDeviation::sessions.
  std::function<double()> session_deviation = [] { return 0.0; };
  /// Tells if the machine was restless while kernels were timed.
  std::function<void(const RunContext& context)> tell_unrest = [](const RunContext&) {};
};

/// Returns the algorithms that a request is about: those of its kernels or name that BLAS's integers can express.
std::vector<contract::Algorithm> requested_algorithms(const contract::Contraction& contraction, const RankAlgorithmsRequest& request,
                                                      const RunContext& context);
AlgorithmRanking rank_algorithms(const RankingTools& tools, const contract::Contraction& contraction,
                                 std::vector<contract::Algorithm> algorithms, const RankAlgorithmsRequest& request,
                                 const RunContext& context);

}  // namespace flopcast
