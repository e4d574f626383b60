#pragma once

#include <cstdint>
#include <optional>
#include <random>
#include <unordered_set>

#include "flopcast/selective/decision_rules.hpp"
#include "flopcast/selective/execution_policy.hpp"
#include "flopcast/selective/execution_windows.hpp"
#include "flopcast/selective/kernel_table.hpp"
#include "flopcast/selective/kernel_times.hpp"
#include "flopcast/selective/prediction_interval.hpp"
#include "flopcast/selective/routine_families.hpp"
#include "flopcast/support/page_allocator.hpp"

namespace flopcast::selective {

/// Position of a process on its path when it asks.
struct PathPosition {
  std::int64_t along = 0;  ///< known number of the kernel's occurrences on the path that leads here (policy online)
  Seconds path = 0;        ///< length of that path
};

/// Time that an execution adds to the path.
struct PathContribution {
  Seconds seconds = 0;
  Seconds expected = 0;    ///< if it was estimated: the mean of such executions
  bool estimated = false;  ///< `seconds` isn't the measured time, but the time that the kernel takes in the program
};

/// One process's decisions which kernels are still executed. KernelTimes hold what is known of each kernel, and RoutineFamilies predict
/// across sizes. WindowSchedule says where everything is executed, PriorTrust whether times of earlier runs count. ProgramContext says
/// whether caches are as in the program, and ErrorBudget how much error the path may take.
class ExecutionDecisions {
 public:
  /// With `across_sizes` the times of sizes that were never executed are predicted from other sizes of their routine, if the added error of
  /// the path fits the tolerance. Within `windows` everything is executed. A time measured outside of windows, among skipped kernels,
  /// counts only until a time from a window is known. Policies full, eager and random have no windows.
  ExecutionDecisions(Policy policy, const TimePrecision& precision, bool across_sizes = false,
                     std::optional<ExecutionWindows> windows = {});

  /// Sets the seed of policy random: processes with different seeds decide differently.
  void seed(std::uint32_t seed) { chance_.seed(seed); }

  /// Limits the plausible time of kernel `number`, a communication, which takes longer only if something else makes it wait. A process may
  /// have to wait for its core for milliseconds, several times in a row. Longer times are believed only after 16 of them.
  void expect_at_most(std::uint32_t number, Seconds seconds) { times(number).expect_at_most(seconds); }
  /// Gives the times of kernel `number` from before this run. They count once the kernel has been executed in this run and takes the same
  /// time. If `trusted`, they count before that, because another process is going to check.
  void know(std::uint32_t number, const PriorKernel& prior, bool trusted = false);
  /// Sets how often kernel `number` lies along the critical path of the preceding execution (policy a-priori).
  void count_along(std::uint32_t number, std::int64_t along) { times(number).count_along(along); }
  /// Gives all processes' times of kernel `number` in its place in the program, from this run's executions so far. The other processes'
  /// times count beside this process's own.
  void share(std::uint32_t number, const KernelStatistics& all) { times(number).share(all); }
  /// Notes that all processes know these times of kernel `number` (policy eager), so that nobody needs to execute it.
  void know_everywhere(std::uint32_t number, const KernelKey& key, const KernelStatistics& known) {
    times(number).know_everywhere(key, known);
  }
  /// Turns everything that was learnt in this run into knowledge from before the run.
  void begin_anew();
  /// Begins another execution in the same run, after one whose path had the length `before`: counts begin anew, and known times stay.
  /// `learns_from_full`: a full execution adds to the known times; false if other executions are compared with it. The run's first
  /// execution uses memory, libraries and connections for the first time and may take half as long again. After a second one, times of the
  /// first count only where there are no others.
  void begin_execution(Policy policy, Seconds before, bool learns_from_full);
  /// Share of this execution's kernel time outside of windows that belongs to kernels whose times were known.
  [[nodiscard]] double known_share() const noexcept { return windows_.known_share(); }
  /// Spaces the windows of the next execution by `share`, the least known_share() of all processes: see WindowSchedule::space(). Does
  /// nothing after a full execution, which executes everything, known or not.
  void space_windows(double share) noexcept;

  /// Decides whether `kernel`, number `number`, is to be executed now.
  [[nodiscard]] const ExecutionVerdict& decide(std::uint32_t number, const KernelRecord& kernel, const PathPosition& position = {});
  [[nodiscard]] bool wants_execution(std::uint32_t number, const KernelRecord& kernel, const PathPosition& position = {}) {
    return decide(number, kernel, position).execute;
  }
  /// Purpose of executing the last kernel that was decided about.
  [[nodiscard]] Cause cause() const noexcept { return verdict_.cause; }
  /// Takes the time of an executed kernel; returns the time that it adds to the path.
  PathContribution executed(std::uint32_t number, const KernelRecord& kernel, Seconds seconds) {
    const bool is_going_to_be_asked = policy_ != Policy::full || learns_from_full_;
    return is_going_to_be_asked ? learnt(number, kernel, seconds) : PathContribution{seconds, seconds, false};
  }
  /// Returns the time that a skipped kernel adds to the path: one of the last measured times, scaled to the mean `expected`. Times differ
  /// and processes wait for the slowest one, so that a path of means would be too short.
  PathContribution skipped(std::uint32_t number, Seconds expected);
  /// Returns true if a kernel that is executed now finds the caches as the program leaves them.
  [[nodiscard]] bool is_in_context() const noexcept { return context_.is_in_context(); }
  [[nodiscard]] bool has_windows() const noexcept { return windows_.has_windows(); }
  /// Notes that something was skipped, so that the next kernel doesn't find the caches as the program leaves them.
  void skipped() noexcept { context_.skipped(); }
  /// Returns the estimated time of a skipped kernel: the mean of this run's times and those known before; 0 if there are none.
  [[nodiscard]] Seconds estimate(std::uint32_t number, const KernelRecord& kernel);
  /// Times of kernel `number` in its place in the program, executed among its neighbours; empty if there are none.
  [[nodiscard]] KernelStatistics in_context(std::uint32_t number) const {
    return number < times_.size() ? times_[number].in_context() : KernelStatistics();
  }
  /// Times of kernels in their place in the program in this execution, and of the same kernels before it.
  [[nodiscard]] RunTimeRatio run_time_ratio() const;
  /// Half-width of the error that predictions across sizes have added to this process's own work.
  [[nodiscard]] Seconds prediction_error() const noexcept { return budget_.spent(); }
  /// Times of a kernel that is predictable from this process's own times (policy eager tells them to others); nothing if it isn't.
  [[nodiscard]] std::optional<KernelStatistics> predictable(std::uint32_t number);

 private:
  /// Counts of one kernel, and the last judgement about its times.
  struct KernelJudgement {
    std::int64_t met = 0;                                    ///< occurrences, executed or not
    std::int64_t judged_count = -1, judged_occurrences = 0;  ///< values when `predictable` was found
    std::int64_t skipped_in_a_row = 0;
    std::int64_t predicted = 0;  ///< number of times that a model replaced its execution
    bool predictable = false;
  };

  void make_room(std::uint32_t number);
  KernelTimes& times(std::uint32_t number);
  KernelJudgement& decision(std::uint32_t number);

  [[nodiscard]] ExecutionVerdict verdict(std::uint32_t number, const KernelRecord& kernel, const PathPosition& position);
  /// Returns the rule that decides outside of windows.
  [[nodiscard]] Rule rule_by_times(std::uint32_t number, const KernelRecord& kernel, const PathPosition& position);
  void judge_times(std::uint32_t number, const KernelRecord& kernel, const PathPosition& position);
  [[nodiscard]] bool is_rehearsed(const KernelRecord& kernel);
  [[nodiscard]] bool is_brief(const KernelRecord& kernel, const KernelTimes& mine) const;
  [[nodiscard]] bool outlasts_window(std::uint32_t number, const KernelRecord& kernel, const PathPosition& position);
  [[nodiscard]] bool is_trusted(std::uint32_t number, const KernelRecord& kernel);
  [[nodiscard]] bool is_known(std::uint32_t number, const KernelRecord& kernel, std::int64_t occurrences);
  [[nodiscard]] bool is_known_by_family(std::uint32_t number, const KernelRecord& kernel, const KernelStatistics& known,
                                        std::int64_t occurrences);
  [[nodiscard]] bool fits_budget(std::uint32_t number, const PathPosition& position);
  [[nodiscard]] bool may_be_predicted(std::uint32_t number, const KernelRecord& kernel, const PathPosition& position);
  [[nodiscard]] bool spend(std::uint32_t number, Seconds half_width, const PathPosition& position);
  [[nodiscard]] std::int64_t occurrences(std::uint32_t number, const PathPosition& position);
  [[nodiscard]] bool one_in_eight() { return (chance_() >> 8U) % 8 == 0; }

  PathContribution learnt(std::uint32_t number, const KernelRecord& kernel, Seconds seconds);
  void learn_for_family(std::uint32_t number, const KernelRecord& kernel, Seconds seconds, const KernelStatistics& before, bool adds_time,
                        bool out_of_context);
  void compare_with_prior(RoutineFamily& family, const KernelTimes& mine);
  [[nodiscard]] PathContribution varied(const KernelTimes& mine, Seconds expected);

  [[nodiscard]] KernelStatistics own_times(std::uint32_t number, const KernelRecord& kernel);
  /// Predicts from other sizes, corrected by the ratio of the present execution.
  [[nodiscard]] std::optional<SizePrediction> predict(std::uint32_t number, const KernelRecord& kernel);
  [[nodiscard]] std::optional<SizePrediction> predict_by_model(RoutineFamily& family, std::uint32_t number, const KernelRecord& kernel);

  Policy policy_;
  ExecutionVerdict verdict_;  ///< verdict on the last kernel that was asked about
  TimePrecision precision_;
  StudentQuantiles quantiles_;
  bool across_sizes_;
  bool learns_from_full_ = false;
  std::int64_t begun_ = 0;  ///< number of executions
  WindowSchedule windows_;
  ProgramContext context_;
  ErrorBudget budget_;
  PriorTrust prior_trust_;
  std::unordered_set<std::uint64_t> routines_;  ///< kinds and routines that were executed in this process
  std::minstd_rand chance_;
  PageVector<KernelTimes> times_;  ///< index: kernel number
  PageVector<KernelJudgement> decisions_;
  RoutineFamilies families_;
};

}  // namespace flopcast::selective
