#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "flopcast/measure/experiment.hpp"
#include "flopcast/model/on_demand.hpp"
#include "flopcast/model/store.hpp"
#include "flopcast/support/run_context.hpp"
#include "flopcast/tasks/tuning/tuning_services.hpp"
#include "flopcast/tune/block_size.hpp"
#include "flopcast/tune/validate.hpp"
#include "flopcast/workbench/workbench.hpp"

namespace flopcast {

/// Returns how often segments are timed: more calls measured tell more than the same ones measured better.
measure::StopRule sampling_rule();

struct TuningOptions {
  std::int64_t repetitions = 5;  ///< repetitions of long runs in a validation; short ones get more
  std::uint64_t seed = 1;        ///< seed of the order of measurements
  bool fresh = false;            ///< use no samples of earlier runs
};

/// The alternatives that a validation runs, its time, and who receives its results.
struct ValidationOptions {
  tuning::Extent extent = tuning::Extent::all;
  Seconds time_budget = std::numeric_limits<Seconds>::infinity();
  /// Receives each problem once all of its alternatives were run, the shortest problem first.
  std::function<void(std::size_t problem)> validated = [](std::size_t) {};
};

/// Tunes in one place (a library with a number of threads). Samples are kept, progress is shown, and the budget or a cancellation ends it.
class TuningSession {
 public:
  using Record = std::function<Trace(const Call&, const tuning::Alternative&)>;

  TuningSession(TuningServices services, const TuningOptions& options, const RunContext& context);
  /// Workbench and store must outlive the session.
  TuningSession(const Workbench& bench, model::Store& store, const TuningOptions& options, const RunContext& context);

  [[nodiscard]] const TuningServices& services() const noexcept { return services_; }

  /// Chooses for every problem; `label` ("tuning dgeqrf") stands beside the progress. Samples of earlier runs count for `kernels`, or for
  /// all if there are none. Throws Cancelled if the operation is cancelled.
  tuning::BlockSizeResult tune(const std::string& label, std::span<const tuning::Problem> problems, const Record& record,
                               const std::set<std::string>& kernels, const tuning::BlockSizeOptions& options);

  /// Runs the alternatives of the decisions, problem by problem, and fills in their validations. Those that a cancellation or the time budget
  /// leaves out stay without.
  void validate(const std::string& label, std::span<const tuning::Problem> problems, std::vector<tuning::Decision>& decisions,
                const tuning::Runners& runners, const ValidationOptions& options);

 private:
  TuningServices services_;
  TuningOptions options_;
  RunContext context_;
  model::OnDemandModels fresh_models_;  ///< models of this session's samples
};

/// Tells that decisions of `what` ("dgeqrf") may lose over 10 %, and the `consequence`; nothing if none does.
void tell_undecided(const std::string& what, const std::vector<tuning::Decision>& decisions, const std::string& consequence,
                    const RunContext& context);

/// Notes that decisions of `what` considered only some of the block sizes that were asked for; nothing if all considered all.
void note_considered(const std::string& what, const std::vector<tuning::Decision>& decisions, const RunContext& context);

/// Notes the cost of a tuning: "12 segments of kernel calls measured, ...".
void note_cost(const tuning::BlockSizeResult& result, Seconds elapsed, const RunContext& context);

}  // namespace flopcast
