#pragma once

#include <optional>
#include <vector>

#include "flopcast/selective/time_spent.hpp"
#include "flopcast/support/units.hpp"
#include "flopcast/tasks/mpi/space.hpp"
#include "flopcast/tasks/mpi/tuning.hpp"

namespace flopcast {

/// Measured outcome of a configuration, before the configurations are compared.
struct MpiOutcome {
  MpiSetting setting;
  Seconds predicted = 0, half_width = 0;
  Seconds elapsed = 0;         ///< of the executions that the prediction is based on, as the program measures itself
  Seconds blocked = 0;         ///< time in which a process neither computed nor was ready to run; 0 if that doesn't matter
  double executed_share = 0;   ///< share of kernels that were executed
  double coverage = 0;         ///< share of the path that lies in kernels
  bool covered = true;         ///< the coverage suffices for a prediction
  bool skipped_safely = true;  ///< false if the program was executed in full because leaving kernels out is unsafe
  std::optional<Seconds> full_path, full_elapsed;
  std::optional<selective::TimeSpent> spent;  ///< purposes of `elapsed`, means of the processes
  bool finalist = false;                      ///< executed in full at the end: the choice depends on that execution
  bool failed = false;                        ///< the program ended with an error though no kernel was left out: nothing else is known
  Seconds self_check = 0;                     ///< time of executions that only served the self-check
};

/// Returns whether the outcome can't be right: kernels took longer than the path on which they lie, or the interval reaches below zero. The
/// machine was restless meanwhile.
[[nodiscard]] bool is_restless(const MpiOutcome& outcome) noexcept;

/// Returns the best outcome: the finalist with the shortest full execution if there are finalists, else the least prediction, of a quiet
/// outcome if there is one. Throws unusable_measurement if too little was seen in all of them; `min_coverage` is for the message.
[[nodiscard]] const MpiOutcome& best_of(const std::vector<MpiOutcome>& outcomes, double min_coverage);

/// Returns the verdict on `outcome`, where `best` is best_of() all.
[[nodiscard]] MpiVerdict verdict_on(const MpiOutcome& outcome, const MpiOutcome& best) noexcept;

}  // namespace flopcast
