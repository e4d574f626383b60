#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "flopcast/machine/cpu/other_load.hpp"
#include "flopcast/measure/session.hpp"
#include "flopcast/model/on_demand.hpp"
#include "flopcast/model/store.hpp"
#include "flopcast/support/run_context.hpp"
#include "flopcast/tune/block_size.hpp"
#include "flopcast/tune/validate.hpp"
#include "flopcast/workbench/workbench.hpp"

namespace flopcast {

struct TuningOptions {
  std::int64_t repetitions = 5;  ///< of long runs in a validation; short ones get more
  std::uint64_t seed = 1;        ///< of the order of measurements
  bool fresh = false;            ///< no samples of earlier runs
};

/// What a validation runs, for how long, and who hears of it.
struct ValidationOptions {
  tuning::Extent extent = tuning::Extent::all;
  Seconds time_budget = std::numeric_limits<Seconds>::infinity();
  /// Hears of each problem that was validated as a whole, in the order in which they are: the shortest first.
  std::function<void(std::size_t problem, const tuning::Check& check)> validated = [](std::size_t, const tuning::Check&) {};
};

/// Tunes in one place (a library with a number of threads): samples are kept in the store, progress is shown, Ctrl-C and the budget end it.
class TuningSession {
 public:
  using Record = std::function<Trace(const Call&, const tuning::Alternative&)>;

  /// Workbench and store must outlive it.
  TuningSession(const Workbench& bench, model::Store& store, const TuningOptions& options, const RunContext& context);

  /// Chooses for every problem; `label` ("tuning dgeqrf") stands beside the progress. Of earlier samples those of `kernels` are used, or
  /// all if it is empty. Throws Cancelled if the operation is cancelled.
  tuning::BlockSizeResult tune(const std::string& label, std::span<const tuning::Problem> problems, const Record& record,
                               const std::set<std::string>& kernels, const tuning::BlockSizeOptions& options);

  /// Runs what was decided about, problem by problem. After Ctrl-C, and when the time is used up, the checks of the other problems are empty.
  std::vector<tuning::Check> validate(const std::string& label, std::span<const tuning::Problem> problems,
                                      std::span<const tuning::Decision> decisions, const tuning::Runners& runners,
                                      const ValidationOptions& options);

 private:
  const Workbench& bench_;
  model::Store& store_;
  TuningOptions options_;
  RunContext context_;
  measure::Session session_;
  model::OnDemandModels fresh_models_;  ///< of this session's samples
  bool told_of_others_ = false;

  void tell_of_others(const machine::OtherLoad& load);
};

/// "12 stretches of kernel calls measured, ..." as a note.
void note_cost(const tuning::BlockSizeResult& result, Seconds elapsed, const RunContext& context);

}  // namespace flopcast
