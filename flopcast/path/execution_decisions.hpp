#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <random>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "flopcast/core/own_pages.hpp"
#include "flopcast/path/execution_policy.hpp"
#include "flopcast/path/execution_windows.hpp"
#include "flopcast/path/kernel_table.hpp"
#include "flopcast/path/prediction_interval.hpp"
#include "flopcast/path/size_model.hpp"
#include "flopcast/path/time_spent.hpp"

namespace flopcast::path {

/// Where a process stands when it asks.
struct Standing {
  std::int64_t along = 0;  ///< how often the kernel lies on the path to here, as far as is known (policy online)
  Seconds path = 0;        ///< length of that path
};

/// What an execution counts on the path.
struct Counted {
  Seconds seconds = 0;
  Seconds expected = 0;    ///< the mean of such executions if it was estimated
  bool estimated = false;  ///< not what it took, but what it takes in the program
};

/// One process's decisions which kernels it still wants executed.
class ExecutionDecisions {
 public:
  /// With `across_sizes` kernels of a size never executed are predicted from other sizes of their routine, where the error that this adds
  /// to the path fits the tolerance. In `windows` everything is executed, and what is executed elsewhere, among kernels left out, only
  /// counts until its time in a window is known (policies full, eager and random have none).
  ExecutionDecisions(Policy policy, const Precision& precision, bool across_sizes = false, std::optional<ExecutionWindows> windows = {});

  /// For policy random: processes with different seeds decide differently.
  void seed(std::uint32_t seed) { chance_.seed(seed); }

  /// Kernel `number`, a communication, takes no longer than this unless something else makes it wait: a process that has to wait for its
  /// core, for milliseconds, several times in a row perhaps. Longer times are believed after 16 of them only.
  void expect_at_most(std::uint32_t number, Seconds seconds) { decision(number).plausible = seconds; }
  /// What was learnt of kernel `number` before this run. It counts once the kernel has been executed in this run, and its time is still the
  /// same; if `trusted`, before that: somebody else is going to look.
  void know(std::uint32_t number, const PriorKernel& prior, bool trusted = false);
  /// How often kernel `number` lies along the critical path of the execution before (policy a-priori).
  void count_along(std::uint32_t number, std::int64_t along) { decision(number).prior.along = along; }
  /// Times of kernel `number` in its place in the program, of all processes in the executions of this run so far: those of the others count
  /// beside this one's own.
  void share(std::uint32_t number, const KernelStatistics& all) { decision(number).others = all.without(decision(number).times); }
  /// All processes know these times of kernel `number` (policy eager): nobody needs to execute it.
  void know_everywhere(std::uint32_t number, const KernelKey& key, const KernelStatistics& times);
  /// What was learnt in this run is from here on what was learnt before it.
  void begin_anew();
  /// Another execution begins in the same run, after one whose path was `before` long: counts begin anew, what is known of times stays.
  /// Whether one in full adds to that; it doesn't if it is what others are to be compared with. The run's first execution uses memory,
  /// libraries and connections for the first time, which may take half as long again: once there is a second one, its times only count
  /// where there are no others.
  void begin_execution(Policy policy, Seconds before, bool full_teaches);
  /// Share of the time of this execution's kernels outside of windows that was known when they were met.
  [[nodiscard]] double known_share() const noexcept { return kernel_seconds_ > 0 ? known_seconds_ / kernel_seconds_ : 0; }
  /// Windows become rarer while executions find little that isn't known, and more again, down to as many as at first, when one finds much:
  /// `share` is the least known_share() of all processes, so that they agree.
  void space_windows(double share);

  /// Whether `kernel`, number `number`, is to be executed now.
  [[nodiscard]] bool wants_execution(std::uint32_t number, const Kernel& kernel, const Standing& standing = {});
  /// Why the last kernel that was asked about is to be executed.
  [[nodiscard]] Cause cause() const noexcept { return cause_; }
  /// It was executed and took `seconds`; what that counts on the path.
  Counted executed(std::uint32_t number, const Kernel& kernel, Seconds seconds) {
    const bool is_going_to_be_asked = policy_ != Policy::full || full_teaches_;
    return is_going_to_be_asked ? learnt(number, kernel, seconds) : Counted{seconds, seconds, false};
  }
  /// What it counts if it is left out: times differ, processes wait for the one that took longest, and a path of means would be too short.
  /// Hence one of the last times that were seen, in proportion to the mean `expected`.
  Counted left_out(std::uint32_t number, Seconds expected);
  /// What is executed now finds caches as the program leaves them.
  [[nodiscard]] bool is_in_context() const noexcept { return since_left_out_ >= least_settling; }
  [[nodiscard]] bool has_windows() const noexcept { return windows_.has_value(); }
  /// Something was left out: what is executed next doesn't find caches as the program leaves them.
  void left_out() noexcept { since_left_out_ = 0; }
  /// What it takes if it isn't executed: the mean of this run and of what was known before; 0 if nothing is known.
  [[nodiscard]] Seconds estimate(std::uint32_t number, const Kernel& kernel);
  /// Times of kernel `number` in its place in the program, executed among others; nothing if there are none.
  [[nodiscard]] KernelStatistics in_context(std::uint32_t number) const {
    return number < decisions_.size() ? decisions_[number].times : KernelStatistics();
  }
  /// What kernels took in this execution in their place in the program, and what they took there before it.
  [[nodiscard]] Pace pace() const;
  /// Half-width of the error that predictions across sizes have added to what this process did.
  [[nodiscard]] Seconds prediction_error() const;
  /// Times of a kernel that is predictable by what this process knows itself (policy eager tells the others); nothing if it isn't.
  [[nodiscard]] std::optional<KernelStatistics> predictable(std::uint32_t number);

 private:
  Counted learnt(std::uint32_t number, const Kernel& kernel, Seconds seconds);
  /// Kernels executed for so long leave the caches of a core as the program would: some megabytes have gone through them.
  static constexpr Seconds least_settling = 1e-3;
  /// So many kernels that agree with what was known, or more that differ than agree, say something about all of them.
  static constexpr std::int64_t several_priors = 4;

  struct Decision {
    PriorKernel prior;
    KernelStatistics times;                                  ///< of this run, since the last drift
    KernelStatistics before;                                 ///< of those, when this execution began
    KernelStatistics others;                                 ///< of this run, by other processes
    KernelStatistics rough;                                  ///< of executions after something that was left out, and of a routine's first
    std::int64_t met = 0;                                    ///< executed or not
    std::int64_t judged_count = -1, judged_occurrences = 0;  ///< when `predictable` was found
    std::int64_t skipped_in_a_row = 0;
    std::int64_t predicted = 0;                                    ///< times that it was left out by a model
    KernelStatistics strange;                                      ///< the last times, as far as they were far from what is known
    std::int64_t outliers = 0;                                     ///< times so long that something must have disturbed them
    Seconds plausible = std::numeric_limits<Seconds>::infinity();  ///< see expect_at_most()
    std::array<float, 8> recent{};
    std::uint32_t recent_count = 0;        ///< ever written there
    std::optional<SizePrediction> answer;  ///< of its family's model number `answered_by`
    std::int64_t answered_by = 0;
    bool predictable = false, trusted = false, everywhere = false;
  };
  /// Relative deviations of times from the mean of their kernel's earlier ones.
  struct Deviations {
    double squares = 0;
    std::int64_t count = 0;
    std::array<float, 16> recent{};  ///< the last ones' magnitude

    void add(double relative) noexcept;
    /// By the median of the last ones, once there are enough: one time that was disturbed doesn't make all others doubtful.
    [[nodiscard]] double variance() const;
  };
  static constexpr std::int64_t least_degrees = 4;  ///< of freedom, for a deviation that says anything
  static constexpr std::size_t decades = 8;         ///< of times that are told apart
  /// Times among skipped kernels over those in the program, as logarithms.
  struct RoughFactors {
    double sum = 0;
    std::int64_t count = 0;
  };

  /// What kernels of a routine took in this execution beside what other sizes say: those of one configuration share a block size, with which
  /// a library may be faster or slower than with its neighbours.
  struct Ratio {
    Seconds taken = 0, predicted = 0;
    std::int64_t count = 0;

    /// Of the two, as if one had seen two more kernels that take what other sizes say.
    [[nodiscard]] double factor() const noexcept;
  };

  /// Kernels whose times are in this run what they were before it, and others.
  struct PriorFound {
    std::int64_t agreed = 0, differed = 0;
  };

  /// A routine's sizes.
  struct Family {
    struct Member {
      std::uint32_t number = 0;
      SizeTerms terms{};
      SizePlace place{};
      double flops = 0;
      std::size_t sizes = 0;  ///< that aren't zero
    };
    std::vector<Member> members;
    double most_flops = 0;
    std::size_t most_sizes = 0;
    std::optional<SizeModel> model;
    std::int64_t executed = 0;   ///< in this run
    std::int64_t fitted_at = 0;  ///< `executed` then
    std::int64_t predicted_in_a_row = 0;
    PriorFound prior;
    std::int64_t fit = 0;  ///< number of the model, of those that there have been
    Deviations deviations;
    Ratio of_execution;
    std::array<RoughFactors, decades> rough{};  ///< by powers of ten of the time
  };

  Decision& decision(std::uint32_t number);
  Family& family(std::uint32_t number, const KernelKey& key, double flops);
  [[nodiscard]] std::int64_t occurrences(const Decision& decision, const Standing& standing) const;
  /// Whether `times`, of that kernel, are few and longer than what it should take.
  static bool is_doubtful(const Decision& decision, const KernelStatistics& times) noexcept;
  static bool ends_doubt(const Decision& decision, Seconds seconds) noexcept;
  static bool agrees(const KernelStatistics& known, Seconds seconds) noexcept;
  /// From times that hold in the program, of this run and before it.
  static KernelStatistics settled(const Decision& decision);
  /// The same, or if there are none those of executions among skipped ones.
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
  /// From other sizes, and as in the present execution.
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
  std::optional<ExecutionWindows> wanted_windows_;  ///< for policies that take them
  std::optional<ExecutionWindows> windows_;
  bool full_teaches_ = false;
  std::int64_t begun_ = 0;  ///< executions
  Seconds before_ = 0;      ///< length of the paths of earlier executions: windows lie at places of all paths together
  Seconds since_left_out_ = std::numeric_limits<Seconds>::infinity();  ///< time of kernels executed since then
  std::unordered_set<std::uint64_t> routines_;                         ///< executed before, by kind and number
  std::minstd_rand chance_;
  double rarer_ = 1;  ///< windows, than at first
  Seconds kernel_seconds_ = 0, known_seconds_ = 0;
  PriorFound prior_;                           ///< of all families
  double best_rate_ = 0;                       ///< flops per second, of any kernel but short ones
  Seconds last_path_ = 0;                      ///< length of the path of the execution before this one
  std::array<Deviations, decades> scatter_{};  ///< by powers of ten of the time
  double spent_squares_ = 0;                   ///< of the errors that predictions have added to the path
  OwnVector<Decision> decisions_;
  std::unordered_map<KernelKey, Family, KernelKeyHash> families_;
  std::vector<bool> in_family_;  ///< by number
};

}  // namespace flopcast::path
