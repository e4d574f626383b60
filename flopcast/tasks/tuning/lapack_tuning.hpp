#pragma once

#include <functional>
#include <string>
#include <vector>

#include "flopcast/kernel/lapack_use.hpp"
#include "flopcast/program/saved_tuning.hpp"
#include "flopcast/tasks/tuning/tunable_routine.hpp"
#include "flopcast/tasks/tuning/tuning.hpp"
#include "flopcast/tune/block_size.hpp"

/// Tuning all of LAPACK: the order of the routines and their shares of the time budget.
namespace flopcast {

/// Steps of the tuning of one routine. A TuningSession does them for real, tests fake them.
struct LapackServices {
  /// Returns the routines to tune in these calls.
  std::function<std::vector<TunableRoutine>(const std::vector<Call>&)> tunable_routines;
  /// Decides within options.time_budget. Called again for a routine, it goes on where it ended.
  std::function<tuning::BlockSizeResult(const TunableRoutine&, const tuning::BlockSizeOptions&)> decide;
  std::function<void(const TunableRoutine&, std::vector<tuning::Decision>&, const ValidationOptions&)> validate;
  /// Keeps decisions in the tuning file; returns a remark for the user, or "".
  std::function<std::string(const TunableRoutine&, const std::vector<tuning::Decision>&)> keep;
  std::function<Seconds()> clock;  ///< seconds since some moment
};

/// Tunes routine after routine. `known` are the decisions that the tuning file has already. Fills in all but the result's environment and
/// tuning file.
LapackTuning tune_lapack(const LapackRequest& request, const LapackServices& services, const std::vector<program::TunedRoutine>& known,
                         const RunContext& context);

}  // namespace flopcast
