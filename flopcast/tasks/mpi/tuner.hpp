#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "flopcast/model/store.hpp"
#include "flopcast/protocol/mpi_profile.hpp"
#include "flopcast/support/run_context.hpp"
#include "flopcast/support/units.hpp"
#include "flopcast/tasks/mpi/known_kernels.hpp"
#include "flopcast/tasks/mpi/launch.hpp"
#include "flopcast/tasks/mpi/outcome.hpp"
#include "flopcast/tasks/mpi/self_checks.hpp"
#include "flopcast/tasks/mpi/tuning.hpp"

namespace flopcast {

/// Has a program executed in every configuration of a space, in few launches, and keeps the kernel times that the executions show.
class MpiTuner {
 public:
  /// Kernel times and self-checks of earlier runs come from `store`, and new ones go there. `usable_cores` are those of this machine.
  MpiTuner(const MpiTuneRequest& request, MpiLauncher& launcher, model::Store& store, int usable_cores, RunContext context = {});

  /// Returns the result. Throws unusable_measurement if the program fails in all configurations, too little is seen in each of them, or the
  /// time budget ends before the first prediction. Throws Cancelled.
  MpiTuning tune();

 private:
  /// An execution by the number of its setting and its policy.
  using Execution = std::pair<std::size_t, selective::Policy>;

  [[nodiscard]] const MpiProfile* result(std::size_t setting, selective::Policy policy) const;
  /// Returns whether `setting` is executed in full as well.
  [[nodiscard]] bool needs_full(std::size_t setting) const;
  /// Returns whether one configuration of all is executed in full for the self-check.
  [[nodiscard]] bool checks_one() const;
  /// Returns whether the kernel times of that execution are used. Its path never is, because first uses of memory slow it down.
  [[nodiscard]] bool uses_full_times() const;
  [[nodiscard]] std::vector<Execution> missing() const;
  void throw_if_cancelled() const;
  [[nodiscard]] bool is_budget_spent() const;
  void keep_self_check();
  void launch(const std::vector<Execution>& executions);
  /// Gives `setting` up, in which the program fails though no kernel is skipped.
  void fail(std::size_t setting, int exit_code);
  /// Returns the configuration nearest to `setting`, in the space's order, that hasn't failed.
  [[nodiscard]] std::size_t nearest_sound(std::size_t setting) const;
  /// Finds out whether a configuration that failed with kernels skipped succeeds in full: then selective execution is unsafe.
  void classify_failures();
  void learn(const std::vector<Execution>& made);
  /// Returns the outcome of `setting`, or nothing while one of its executions is missing.
  [[nodiscard]] std::optional<MpiConfiguration> outcome(std::size_t setting);
  /// Returns half the width of the interval in which executions lie that the profile predicts.
  [[nodiscard]] Seconds half_width_of(const MpiProfile& profile) const;
  /// Returns the relative deviation between whole executions, from those made so far; the method error if none of them tells.
  [[nodiscard]] double between_run_deviation() const;
  /// Returns the outcome that `profile` shows, one of the setting's.
  [[nodiscard]] MpiConfiguration outcome_of(std::size_t setting, const MpiProfile& profile) const;
  /// Returns the time of executions that only show whether kernels may be skipped.
  [[nodiscard]] Seconds self_check_seconds(std::size_t setting, const MpiProfile& profile) const;
  /// Returns the settings with the least predictions, as many as the request asks for.
  [[nodiscard]] std::vector<std::size_t> finalists() const;
  /// Returns those of `settings` that may be the best, as many as take no longer than all executions until now.
  [[nodiscard]] std::vector<std::size_t> tied_finalists(const std::vector<std::size_t>& settings) const;
  /// Returns the time of all executions so far, as the program measures itself.
  [[nodiscard]] Seconds executed_seconds() const;
  /// Returns the elapsed time of executions in full divided by their paths' time. It exceeds 1 where processes share cores, because paths
  /// are CPU time then.
  [[nodiscard]] double elapsed_per_path() const;
  /// Executes the finalists in full, once each. Tied ones are skipped once that takes longer than all executions before, but for two.
  void execute_finalists();
  /// Returns the result of all configurations, which are compared.
  [[nodiscard]] MpiTuning concluded() const;

  MpiTuneRequest request_;
  MpiLauncher& launcher_;
  StoredMpiKernels stored_;
  int usable_cores_;
  RunContext context_;
  std::vector<search::Setting> settings_;
  std::map<Execution, MpiProfile> results_;
  std::vector<std::optional<MpiConfiguration>> outcomes_;
  MpiKnownKernels known_;
  MpiSelfChecks self_checks_;
  std::size_t checked_ = 0;  ///< setting that the self-check executes in full, if it is only one
  bool remembered_ = false;  ///< the program passed the self-check in an earlier tuning
  double others_ = 0;
  std::set<std::size_t> failed_selectively_;  ///< settings that failed with kernels skipped, and are executed in full to see the reason
  bool selective_is_unsafe_ = false;  ///< with kernels skipped the program failed or made other MPI calls: everything is executed in full
  bool is_cut_ = false;               ///< the time budget ended a launch
  int drifted_ = 0, launches_ = 0;
  Seconds launch_seconds_ = 0;
};

}  // namespace flopcast
