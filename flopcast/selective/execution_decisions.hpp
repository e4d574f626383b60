#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <random>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "flopcast/selective/execution_policy.hpp"
#include "flopcast/selective/execution_windows.hpp"
#include "flopcast/selective/kernel_table.hpp"
#include "flopcast/selective/prediction_interval.hpp"
#include "flopcast/selective/size_model.hpp"
#include "flopcast/selective/time_spent.hpp"
#include "flopcast/support/page_allocator.hpp"

namespace flopcast::path {

/// Position of a process when it asks.
struct Standing {
  std::int64_t along = 0;  ///< known number of the kernel's occurrences on the path that leads here (policy online)
  Seconds path = 0;        ///< length of that path
};

/// Time that an execution adds to the path.
struct Counted {
  Seconds seconds = 0;
  Seconds expected = 0;    ///< if it was estimated: the mean of such executions
  bool estimated = false;  ///< `seconds` isn't the measured time, but the time that the kernel takes in the program
};

/// One process's decisions which kernels are still executed.
class ExecutionDecisions {
 public:
  /// With `across_sizes` the times of sizes that were never executed are predicted from other sizes of their routine, if the added error of
  /// the path fits the tolerance. Within `windows` everything is executed. A time measured outside of windows, among skipped kernels,
  /// counts only until a time from a window is known. Policies full, eager and random have no windows.
  ExecutionDecisions(Policy policy, const Precision& precision, bool across_sizes = false, std::optional<ExecutionWindows> windows = {});

  /// Sets the seed of policy random: processes with different seeds decide differently.
  void seed(std::uint32_t seed) { chance_.seed(seed); }

  /// Limits the plausible time of kernel `number`, a communication, which takes longer only if something else makes it wait. A process may
  /// have to wait for its core for milliseconds, several times in a row. Longer times are believed only after 16 of them.
  void expect_at_most(std::uint32_t number, Seconds seconds) { decision(number).plausible = seconds; }
  /// Gives the times of kernel `number` from before this run. They count once the kernel has been executed in this run and takes the same
  /// time. If `trusted`, they count before that, because another process is going to check.
  void know(std::uint32_t number, const PriorKernel& prior, bool trusted = false);
  /// Sets how often kernel `number` lies along the critical path of the preceding execution (policy a-priori).
  void count_along(std::uint32_t number, std::int64_t along) { decision(number).prior.along = along; }
  /// Gives all processes' times of kernel `number` in its place in the program, from this run's executions so far. The other processes'
  /// times count beside this process's own.
  void share(std::uint32_t number, const KernelStatistics& all) { decision(number).others = all.without(decision(number).times); }
  /// Notes that all processes know these times of kernel `number` (policy eager), so that nobody needs to execute it.
  void know_everywhere(std::uint32_t number, const KernelKey& key, const KernelStatistics& times);
  /// Turns everything that was learnt in this run into knowledge from before the run.
  void begin_anew();
  /// Begins another execution in the same run, after one whose path had the length `before`: counts begin anew, and known times stay.
  /// `full_teaches`: a full execution adds to the known times; false if other executions are compared with it. The run's first execution
  /// uses memory, libraries and connections for the first time and may take half as long again. After a second one, times of the first
  /// count only where there are no others.
  void begin_execution(Policy policy, Seconds before, bool full_teaches);
  /// Share of this execution's kernel time outside of windows that belongs to kernels whose times were known.
  [[nodiscard]] double known_share() const noexcept { return kernel_seconds_ > 0 ? known_seconds_ / kernel_seconds_ : 0; }
  /// Makes windows rarer while executions find few unknown kernels, and denser, down to the initial distance, when they find many. `share`
  /// is the least known_share() of all processes, so that the processes agree.
  void space_windows(double share);

  /// Returns true if `kernel`, number `number`, is to be executed now.
  [[nodiscard]] bool wants_execution(std::uint32_t number, const Kernel& kernel, const Standing& standing = {});
  /// Reason for which the last kernel that was asked about is executed.
  [[nodiscard]] Cause cause() const noexcept { return cause_; }
  /// Takes the time of an executed kernel; returns the time that it adds to the path.
  Counted executed(std::uint32_t number, const Kernel& kernel, Seconds seconds) {
    const bool is_going_to_be_asked = policy_ != Policy::full || full_teaches_;
    return is_going_to_be_asked ? learnt(number, kernel, seconds) : Counted{seconds, seconds, false};
  }
  /// Returns the time that a skipped kernel adds to the path: one of the last measured times, scaled to the mean `expected`. Times differ
  /// and processes wait for the slowest one, so that a path of means would be too short.
  Counted left_out(std::uint32_t number, Seconds expected);
  /// Returns true if a kernel that is executed now finds the caches as the program leaves them.
  [[nodiscard]] bool is_in_context() const noexcept { return since_left_out_ >= min_settling; }
  [[nodiscard]] bool has_windows() const noexcept { return windows_.has_value(); }
  /// Notes that something was left out, so that the next kernel doesn't find the caches as the program leaves them.
  void left_out() noexcept { since_left_out_ = 0; }
  /// Returns the estimated time of a skipped kernel: the mean of this run's times and those known before; 0 if there are none.
  [[nodiscard]] Seconds estimate(std::uint32_t number, const Kernel& kernel);
  /// Times of kernel `number` in its place in the program, executed among its neighbours; empty if there are none.
  [[nodiscard]] KernelStatistics in_context(std::uint32_t number) const {
    return number < decisions_.size() ? decisions_[number].times : KernelStatistics();
  }
  /// Times of kernels in their place in the program in this execution, and of the same kernels before it.
  [[nodiscard]] Pace pace() const;
  /// Half-width of the error that predictions across sizes have added to this process's own work.
  [[nodiscard]] Seconds prediction_error() const;
  /// Times of a kernel that is predictable from this process's own times (policy eager tells them to others); nothing if it isn't.
  [[nodiscard]] std::optional<KernelStatistics> predictable(std::uint32_t number);

 private:
  Counted learnt(std::uint32_t number, const Kernel& kernel, Seconds seconds);
  /// Time after which executed kernels have left a core's caches as the program would: some megabytes have passed through them.
  static constexpr Seconds min_settling = 1e-3;
  /// Number of kernels whose agreement with prior times, or excess of disagreement, decides about the prior times of all kernels.
  static constexpr std::int64_t several_priors = 4;

  struct Decision {
    PriorKernel prior;
    KernelStatistics times;   ///< times of this run, since the last drift
    KernelStatistics before;  ///< the part of `times` from before this execution
    KernelStatistics others;  ///< times of this run, measured by other processes
    KernelStatistics rough;   ///< times of executions after a skipped kernel, and of a routine's first execution
    std::int64_t met = 0;     ///< occurrences, executed or not
    std::int64_t judged_count = -1, judged_occurrences = 0;  ///< values when `predictable` was found
    std::int64_t skipped_in_a_row = 0;
    std::int64_t predicted = 0;                                    ///< number of times that a model replaced its execution
    KernelStatistics strange;                                      ///< the last times, as far as they were far from the known ones
    std::int64_t outliers = 0;                                     ///< number of times that were so long that they were disturbed
    Seconds plausible = std::numeric_limits<Seconds>::infinity();  ///< see expect_at_most()
    std::array<float, 8> recent{};
    std::uint32_t recent_count = 0;        ///< number of entries ever written to `recent`
    std::optional<SizePrediction> answer;  ///< answer of its family's model number `answered_by`
    std::int64_t answered_by = 0;
    bool predictable = false, trusted = false, everywhere = false;
  };
  /// Relative deviations of times from the mean of their kernel's earlier ones.
  struct Deviations {
    double squares = 0;
    std::int64_t count = 0;
    std::array<float, 16> recent{};  ///< magnitudes of the last ones

    void add(double relative) noexcept;
    /// Returns the variance. Once there are enough deviations, it comes from the median of the last ones, so that a single disturbed time
    /// doesn't make all others doubtful.
    [[nodiscard]] double variance() const;
  };
  static constexpr std::int64_t min_degrees = 4;  ///< degrees of freedom below which a deviation says nothing
  static constexpr std::size_t decades = 8;       ///< number of powers of ten of the time that are told apart
  /// Logarithms of times among skipped kernels divided by times in the program.
  struct RoughFactors {
    double sum = 0;
    std::int64_t count = 0;
  };

  /// Times of a routine's kernels in this execution, compared with predictions from other sizes. The kernels of one configuration share a
  /// block size, for which a library may be faster or slower than for its neighbours.
  struct Ratio {
    Seconds taken = 0, predicted = 0;
    std::int64_t count = 0;

    /// Returns the ratio of measured to predicted times, damped as if two more kernels had taken the predicted time.
    [[nodiscard]] double factor() const noexcept;
  };

  /// Numbers of kernels whose times in this run agree with the times before it, and of others.
  struct PriorFound {
    std::int64_t agreed = 0, differed = 0;
  };

  /// Sizes of one routine.
  struct Family {
    struct Member {
      std::uint32_t number = 0;
      SizeTerms terms{};
      SizePlace place{};
      double flops = 0;
      std::size_t sizes = 0;  ///< number of sizes that aren't zero
    };
    std::vector<Member> members;
    double max_flops = 0;
    std::size_t max_sizes = 0;
    std::optional<SizeModel> model;
    std::int64_t executed = 0;   ///< number of executions in this run
    std::int64_t fitted_at = 0;  ///< value of `executed` at the last fit
    std::int64_t predicted_in_a_row = 0;
    PriorFound prior;
    std::int64_t fit = 0;  ///< number of the current model, counted from the first
    Deviations deviations;
    Ratio of_execution;
    std::array<RoughFactors, decades> rough{};  ///< one for each power of ten of the time
  };

  Decision& decision(std::uint32_t number);
  Family& family(std::uint32_t number, const KernelKey& key, double flops);
  [[nodiscard]] std::int64_t occurrences(const Decision& decision, const Standing& standing) const;
  /// Returns true if `times` of that kernel are few and longer than plausible.
  static bool is_doubtful(const Decision& decision, const KernelStatistics& times) noexcept;
  static bool ends_doubt(const Decision& decision, Seconds seconds) noexcept;
  static bool agrees(const KernelStatistics& known, Seconds seconds) noexcept;
  /// Times that hold in the program, from this run and before it.
  static KernelStatistics settled(const Decision& decision);
  /// Returns settled(decision), or, if that is empty, times of executions among skipped kernels.
  static KernelStatistics known(const Decision& decision);
  static KernelStatistics known_before(const Decision& decision);
  void note_deviation(Family& all, const KernelStatistics& before, Seconds seconds);
  [[nodiscard]] bool is_known(std::uint32_t number, const Kernel& kernel, std::int64_t occurrences);
  Counted drawn(const Decision& mine, Seconds expected);
  void doubt_first_times();
  bool is_rehearsed(const Kernel& kernel);
  void note_known(const Decision& decision, Seconds seconds);
  [[nodiscard]] bool is_its_own_context(const Kernel& kernel, Seconds seconds) const;
  [[nodiscard]] bool is_bound_by_memory(const Kernel& kernel, Seconds seconds) const;
  void note_rate(const Kernel& kernel, Seconds seconds);
  void note_rough(Family& all, const Decision& decision, Seconds seconds) const;
  static Seconds as_in_program(const Family& all, Seconds rough);
  [[nodiscard]] KernelStatistics own_times(std::uint32_t number, const Kernel& kernel);
  bool costs_more_to_skip(const Kernel& kernel, const Decision& decision) const;
  void learn(Decision& decision, Seconds seconds);
  void learn_in_context(Decision& decision, Seconds seconds) const;
  static bool has_nothing_to_do(const Family& all, double flops, std::size_t sizes) noexcept;
  std::vector<SizeModel::Point> known_sizes(const Family& all);
  /// Predicts from other sizes, corrected by the ratio of the present execution.
  std::optional<SizePrediction> predict(std::uint32_t number, const Kernel& kernel);
  std::optional<SizePrediction> by_other_sizes(Family& all, std::uint32_t number, const Kernel& kernel);
  void note_ratio(Family& all, std::uint32_t number, const Kernel& kernel, Seconds seconds);
  static std::size_t decade_of(Seconds seconds);
  [[nodiscard]] Deviations scatter_of(Seconds seconds) const;
  bool fits_budget(std::uint32_t number, const Standing& standing);
  bool spend(std::uint32_t number, Seconds half_width, const Standing& standing);
  [[nodiscard]] bool outlasts_window(std::uint32_t number, const Kernel& kernel, const Standing& standing);
  [[nodiscard]] bool is_trusted(Decision& decision, std::uint32_t number, const Kernel& kernel);
  [[nodiscard]] bool has_drifted(const Family& all) const noexcept;
  void compare_with_prior(Family& all, const Decision& decision);
  bool may_be_predicted(std::uint32_t number, const Kernel& kernel, const Standing& standing);

  Policy policy_;
  Cause cause_ = Cause::always;
  Precision precision_;
  StudentQuantiles quantiles_;
  bool across_sizes_;
  std::optional<ExecutionWindows> wanted_windows_;  ///< windows for policies that use them
  std::optional<ExecutionWindows> windows_;
  bool full_teaches_ = false;
  std::int64_t begun_ = 0;  ///< number of executions
  Seconds before_ = 0;      ///< length of the paths of earlier executions: windows lie at places of all paths together
  Seconds since_left_out_ = std::numeric_limits<Seconds>::infinity();  ///< time of kernels executed after the last one that was left out
  std::unordered_set<std::uint64_t> routines_;                         ///< routines executed before, by kind and number
  std::minstd_rand chance_;
  double rarer_ = 1;  ///< factor by which windows are rarer than at first
  Seconds kernel_seconds_ = 0, known_seconds_ = 0;
  PriorFound prior_;                           ///< counts of all families
  double best_rate_ = 0;                       ///< highest flops per second of any kernel, without short ones
  Seconds last_path_ = 0;                      ///< length of the path of the execution before this one
  std::array<Deviations, decades> scatter_{};  ///< one for each power of ten of the time
  double spent_squares_ = 0;                   ///< squared errors that predictions have added to the path
  PageVector<Decision> decisions_;
  std::unordered_map<KernelKey, Family, KernelKeyHash> families_;
  std::vector<bool> in_family_;  ///< index: kernel number
};

}  // namespace flopcast::path
