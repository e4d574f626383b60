#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

#include "flopcast/core/mpi_values.hpp"
#include "flopcast/selective/kernel_table.hpp"
#include "flopcast/support/units.hpp"

namespace flopcast::selective {

/// Errors that predicted kernels may add to a path. The error of k occurrences of one kernel is k times that of one; errors of different
/// kernels are taken to be independent.
class ErrorBudget {
 public:
  /// `tolerance`: allowed error, divided by the length of the path.
  explicit ErrorBudget(double tolerance) : tolerance_(tolerance) {}

  /// Forgets what was spent.
  void begin_run() noexcept { spent_squares_ = 0; }
  /// Begins another execution, after one whose path had the length `last_path`.
  void begin_execution(Seconds last_path) noexcept {
    last_path_ = last_path;
    spent_squares_ = 0;
  }

  /// Takes the error of predicting a kernel once more, which was predicted `predicted` times before on a path that is `path` long by now.
  /// Returns false, and takes nothing, if the budget is too small.
  [[nodiscard]] bool spend(std::int64_t predicted, Seconds half_width, Seconds path) noexcept;
  /// Half-width of the error that was spent.
  [[nodiscard]] Seconds spent() const noexcept { return std::sqrt(spent_squares_); }

 private:
  double tolerance_;
  Seconds last_path_ = 0;     ///< length of the path of the execution before this one
  double spent_squares_ = 0;  ///< squared errors that predictions have added to the path
};

/// Numbers of kernels whose times in this run agree with the times before it, and of others.
struct PriorAgreement {
  std::int64_t agreed = 0, differed = 0;
};

/// Decides from the kernels that were checked whether times from before this run count for kernels that weren't. Each routine has its own
/// PriorAgreement.
class PriorTrust {
 public:
  /// Forgets what was found.
  void begin() noexcept { all_ = {}; }
  /// Notes that the prior times of a kernel of `routine` agree with its first time of this run, or differ from it.
  void note(PriorAgreement& routine, bool agrees) noexcept;
  /// Returns true if most checked kernels of a routine, or most of all kernels, have other times now.
  [[nodiscard]] bool has_drifted(const PriorAgreement& routine) const noexcept;
  /// Returns true if a routine's prior times count without a check of their own. Within windows, which check as much as they can, they
  /// count until they are found to have changed. Without windows several kernels, one of the routine among them, must first have been found
  /// unchanged.
  [[nodiscard]] bool holds_for(const PriorAgreement& routine, bool windows_check) const noexcept;

 private:
  /// Number of kernels whose agreement with prior times, or excess of disagreement, decides about the prior times of all kernels.
  static constexpr std::int64_t several = 4;
  PriorAgreement all_;
};

/// Rules that decide whether a kernel is executed. The first one that applies counts; they are listed in their order.
enum class Rule : std::uint8_t {
  everything,        ///< executed: policy full
  chance,            ///< either: policies random and rehearsal
  brief,             ///< executed: deciding takes as long as the kernel
  window,            ///< executed: the path lies in a window
  deviant_time,      ///< executed: the last time was far from the known ones
  implausible_time,  ///< executed: its few times are longer than plausible
  known_everywhere,  ///< skipped: all processes know its time (policy eager)
  known,             ///< skipped: its time is known well enough
  within_budget,     ///< skipped: the error of its time fits the path's tolerance
  predicted,         ///< skipped: other sizes of its routine tell its time well enough
  unseen,            ///< executed: it has no time of this run
  unsure,            ///< executed: its time isn't known well enough
  recheck,           ///< executed: it was skipped many times in a row, and machines change their speed
};

/// Decision about one occurrence of a kernel.
struct ExecutionVerdict {
  bool execute = true;
  Rule rule = Rule::everything;
  Cause cause = Cause::always;  ///< purpose that the time of an execution serves
  friend bool operator==(const ExecutionVerdict&, const ExecutionVerdict&) = default;
};

/// Tells whether a kernel that is executed now finds the caches as the program leaves them. After a kernel was skipped, some megabytes
/// must pass through a core's caches first.
class ProgramContext {
 public:
  void begin_execution() noexcept { since_skipped_ = std::numeric_limits<Seconds>::infinity(); }
  /// Notes that something was skipped.
  void skipped() noexcept { since_skipped_ = 0; }
  /// Returns true if enough kernels were executed since one was skipped.
  [[nodiscard]] bool is_in_context() const noexcept { return since_skipped_ >= min_recovery; }
  /// Takes the time of an executed kernel; returns true if the kernel took that time in the program's context.
  bool executed(const KernelRecord& kernel, Seconds seconds);

 private:
  /// Time after which executed kernels have left a core's caches as the program would.
  static constexpr Seconds min_recovery = 1e-3;

  [[nodiscard]] bool is_bound_by_memory(const KernelRecord& kernel, Seconds seconds) const;

  double best_rate_ = 0;                                              ///< highest flops per second of any kernel, without short ones
  Seconds since_skipped_ = std::numeric_limits<Seconds>::infinity();  ///< time of kernels executed after the last one that was skipped
};

}  // namespace flopcast::selective
