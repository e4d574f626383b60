#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "flopcast/contract/algorithms/algorithm.hpp"
#include "flopcast/contract/planner/contraction_plan.hpp"
#include "flopcast/contract/prediction/forecast.hpp"
#include "flopcast/tasks/contraction/contraction.hpp"

/// The contraction tasks without a Workbench: what they need of a machine comes as functions, which tests replace.
namespace flopcast {

/// The machine of planned contractions.
struct PlanningServices {
  std::function<contract::Machine()> machine;               ///< called when it is first needed
  std::function<model::Store*()> store;                     ///< keeps choices; called when it is first needed; may return null
  std::function<Seconds()> now;                             ///< time in seconds since any moment
  std::shared_ptr<contract::TrialMemory> trials = nullptr;  ///< see contract::PlanOptions::trials
  /// Tells if the machine was noisy while contractions were executed.
  std::function<void(const RunContext& context)> tell_noise = [](const RunContext&) {};
};

contract::Plan plan(const PlanningServices& services, const contract::SizedExpression& expression, const contract::EinsumStrides& strides,
                    const PlanRequest& request, const RunContext& context);
ContractionResult run_contraction(const PlanningServices& services, const ContractionRequest& request, const RunContext& context);

/// Returns the services of a Workbench. Throws bad_input if its BLAS has several threads.
PlanningServices tools_of(const Workbench& bench, const PlanRequest& request);
/// Returns a function that tells if other programs kept cores busy since noise_from_now_on() was called.
std::function<void(const RunContext& context)> noise_from_now_on();

/// The machine of rankings.
struct RankingServices {
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
  /// Tells if the machine was noisy while kernels were timed.
  std::function<void(const RunContext& context)> tell_noise = [](const RunContext&) {};
};

/// Returns the contraction that a request is about. Throws bad_input if sizes or strides don't suit it.
contract::Contraction contraction_of(const AlgorithmsRequest& request);
/// Returns the algorithms that a request is about: those of its kernels or name that BLAS's integers can express.
std::vector<contract::Algorithm> requested_algorithms(const contract::Contraction& contraction, const RankAlgorithmsRequest& request,
                                                      const RunContext& context);
AlgorithmRanking rank_algorithms(const RankingServices& services, const contract::Contraction& contraction,
                                 std::vector<contract::Algorithm> algorithms, const RankAlgorithmsRequest& request,
                                 const RunContext& context);

}  // namespace flopcast
