#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "flopcast/model/store.hpp"
#include "flopcast/support/run_context.hpp"
#include "flopcast/support/units.hpp"
#include "flopcast/tasks/mpi/known_kernels.hpp"
#include "flopcast/tasks/mpi/launch.hpp"
#include "flopcast/tasks/mpi/profile.hpp"
#include "flopcast/tasks/mpi/self_checks.hpp"
#include "flopcast/tasks/mpi/space.hpp"

namespace flopcast {

struct MpiTuneOptions {
  std::string space, policy = "local";
  std::string self_check = "once", statistics;
  std::string patience = default_patience, kernels = "auto";
  path::Precision precision;
  double min_coverage = 25;         ///< percent
  std::size_t finalists = 0;        ///< how many
  bool finalists_in_doubt = false;  ///< as many as the intervals leave in doubt, instead
  [[nodiscard]] bool has_finalists() const noexcept { return finalists > 0 || finalists_in_doubt; }
  bool no_across_sizes = false;
  bool no_windows = false;
  bool no_thread_multiple = false;
  bool validate = false;
  bool cold = false;
};

/// What came of a configuration.
struct MpiOutcome {  // NOLINT(bugprone-exception-escape): the linter believes that moving `spent` may throw
  MpiSetting setting;
  Seconds predicted = 0, half_width = 0;
  Seconds elapsed = 0;        ///< of what the program has measured, in executions that tell
  double executed_share = 0;  ///< of the kernels
  double coverage = 0;        ///< share of the path that lies in kernels
  bool covered = true;        ///< enough of it for a prediction
  bool skipped_safely =
      true;  ///< the selective execution made the calls of a full one, as far as that was looked at; otherwise it was executed in full
  std::optional<Seconds> full_path, full_elapsed;
  nlohmann::json spent;   ///< where that time went, means of the processes
  bool finalist = false;  ///< among the least predictions: the choice goes by its full execution
  bool failed = false;    ///< the program ended with an error in it, or without a profile, though nothing was left out: all else is empty
  Seconds checking = 0;   ///< by executions for the self-check only, where there were any
};

/// Has a program executed in every configuration of a space, in as few launches as it can be, and keeps what that teaches of kernels.
class MpiTuner {
 public:
  /// What was learnt before is taken from `store`, and what is learnt goes there.
  MpiTuner(MpiSpace space, const MpiTuneOptions& options, model::Store& store);

  /// Every configuration's outcome, in the order of the space. Throws unusable_measurement if the
  /// program fails in all of them, Cancelled.
  std::vector<MpiOutcome> tune(const RunContext& context);

  /// Kernels whose stored times no longer held.
  [[nodiscard]] int drifted() const noexcept { return drifted_; }
  [[nodiscard]] int launches() const noexcept { return launches_; }
  /// The program passed the self-check in an earlier tuning, and so it was left out.
  [[nodiscard]] bool remembered_check() const noexcept { return remembered_; }
  /// By which clock paths go: "wall" or "cpu"; empty if there is no profile.
  [[nodiscard]] std::string clock() const;
  /// Cores that other programs kept busy, in the launch with most of that; 0 if there was nobody or the system doesn't tell.
  [[nodiscard]] double others() const noexcept { return others_; }
  [[nodiscard]] Seconds launch_seconds() const noexcept { return launch_seconds_; }

 private:
  /// An execution by the number of its setting and its policy.
  using Execution = std::pair<std::size_t, std::string>;

  [[nodiscard]] const nlohmann::json* result(std::size_t setting, const std::string& policy) const;
  /// Whether a full execution of it is looked at, too.
  [[nodiscard]] bool needs_full(std::size_t setting) const;
  /// Whether one of all is, by the self-check.
  [[nodiscard]] bool checks_one() const;
  /// Whether what that shows of kernels' times is used. Its path isn't: in it memory is used for the first time.
  [[nodiscard]] bool full_tells() const;
  [[nodiscard]] std::vector<Execution> missing() const;
  void note_self_check();
  void launch(const std::vector<Execution>& executions);
  /// The program fails in `setting` whatever is left out: it is left alone.
  void fail(std::size_t setting);
  std::size_t nearest_sound(std::size_t setting) const;
  /// Of configurations that failed with kernels left out: those that don't in full show that the program goes by its results.
  void judge_suspects();
  void learn(const std::vector<Execution>& made);
  /// Of a setting if all that it needs is there.
  [[nodiscard]] std::optional<MpiOutcome> outcome(std::size_t setting);
  /// By how much executions differ as a whole, as far as those so far tell.
  [[nodiscard]] double wandering() const;
  [[nodiscard]] MpiOutcome outcome_of(std::size_t setting, const nlohmann::json& telling) const;
  /// What executions of it took that tell only whether it may be executed selectively.
  [[nodiscard]] Seconds checking(std::size_t setting, const nlohmann::json& telling) const;
  /// The settings with the least predictions, as many as the options ask for; of those that are in doubt, as many as take no longer than all
  /// executions until now have.
  [[nodiscard]] std::vector<std::size_t> finalists() const;
  /// Of `settings`.
  [[nodiscard]] std::vector<std::size_t> finalists_in_doubt(const std::vector<std::size_t>& settings) const;
  /// All executions so far took it, as the program measures itself.
  [[nodiscard]] Seconds executed_seconds() const;
  /// What executions in full take over what their paths say: more than 1 where processes share cores, as paths are CPU time then.
  [[nodiscard]] double pace() const;
  /// Executes them in full, once each; the first of a launch twice (MpiLaunch). Those in doubt are no longer gone on with once that takes
  /// longer than all executions before, but for two.
  void execute_finalists();

  MpiSpace space_;
  const MpiTuneOptions& options_;
  model::Store& store_;
  MpiLaunch launch_;
  std::vector<MpiSetting> settings_;
  std::map<Execution, nlohmann::json> results_;  ///< profiles
  std::vector<std::optional<MpiOutcome>> outcomes_;
  MpiKnownKernels known_;
  MpiSelfChecks self_checks_;
  std::size_t checked_ = 0;  ///< setting that the self-check executes in full, if it is only one
  bool remembered_ = false;
  double others_ = 0;
  std::set<std::size_t> suspects_;  ///< settings that failed with kernels left out, and are executed in full to see whether that is why
  RunContext context_;
  bool distrusts_ = false;  ///< a selective execution failed, or made other calls of MPI than a full one: all is executed in full
  int drifted_ = 0, launches_ = 0;
  Seconds launch_seconds_ = 0;
};

}  // namespace flopcast
