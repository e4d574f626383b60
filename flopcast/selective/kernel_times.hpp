#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <random>

#include "flopcast/selective/execution_policy.hpp"
#include "flopcast/selective/kernel_table.hpp"

namespace flopcast::selective {

/// Smaller relative deviations lie within the scatter of one execution.
inline constexpr double min_drift = 0.25;

/// One kernel's times, as a process knows them: those of this run, those of other processes, and those from before the run.
class KernelTimes {
 public:
  /// Sets the times from before this run. If `trusted`, they count without a check, because another process is going to check.
  void know(const PriorKernel& prior, bool trusted);
  /// Notes that all processes know `times`, which count alone from now on.
  void know_everywhere(const KernelKey& key, const KernelStatistics& times);
  /// Sets how often the kernel lies along the critical path of the preceding execution.
  void count_along(std::int64_t along) noexcept { prior_.along = along; }
  /// Takes all processes' times in context of this run, those of this process among them.
  void share(const KernelStatistics& all) noexcept { others_ = all.without(in_context_); }
  /// Limits the plausible time: longer ones are believed only after 16 of them.
  void expect_at_most(Seconds seconds) noexcept { max_plausible_ = seconds; }
  /// Sets whether times from before this run count without a check.
  void set_trusted(bool trusted) noexcept { trusted_ = trusted; }

  /// Turns the times of this run into times from before it.
  void begin_run();
  /// Begins another execution of the same run.
  void begin_execution() noexcept;
  /// Notes that the times so far are those of the run's first execution, which uses memory for the first time. They count only where there
  /// are no others.
  void doubt_first_execution();

  /// Takes a time; `min_count` equal times make a time known. A single time far from the known ones may be a disturbance, and is kept apart
  /// until the next. As many in a row as make a time known mean another speed: the known times are forgotten, and true is returned.
  bool learn(Seconds seconds, std::int64_t min_count);
  /// Takes a time that was measured in a window. Disturbances make times longer: a time more than twice as long as the others doesn't
  /// count, unless there are many. Among the first few times, those that are very much shorter than others replace them.
  void learn_in_context(Seconds seconds, std::int64_t min_count);
  /// Takes a time that was measured after a skipped kernel, or in a routine's first execution.
  void learn_out_of_context(Seconds seconds) noexcept { out_of_context_.add(seconds); }

  /// Times that hold in the program, from this run and before it.
  [[nodiscard]] KernelStatistics in_program() const;
  /// Returns in_program(), or, if that is empty, times out of context.
  [[nodiscard]] KernelStatistics known() const;
  /// Returns the times that a new time is compared with; it scatters about those from before this run, too.
  [[nodiscard]] KernelStatistics known_before() const;
  /// Returns true if `times` of this kernel are few and longer than plausible.
  [[nodiscard]] bool is_doubtful(const KernelStatistics& times) const noexcept;
  /// Returns `expected`, varied as the last times vary: `chance` chooses one of them.
  [[nodiscard]] Seconds varied(Seconds expected, std::minstd_rand& chance) const;
  /// Returns true if `seconds` lies within the scatter of `known`.
  [[nodiscard]] static bool agrees(const KernelStatistics& known, Seconds seconds) noexcept;

  [[nodiscard]] const PriorKernel& prior() const noexcept { return prior_; }
  [[nodiscard]] const KernelStatistics& in_context() const noexcept { return in_context_; }
  [[nodiscard]] const KernelStatistics& out_of_context() const noexcept { return out_of_context_; }
  [[nodiscard]] const KernelStatistics& others() const noexcept { return others_; }
  /// The part of in_context() from before this execution.
  [[nodiscard]] const KernelStatistics& before() const noexcept { return before_; }
  [[nodiscard]] Seconds max_plausible() const noexcept { return max_plausible_; }
  /// Number of times of this run.
  [[nodiscard]] std::int64_t seen() const noexcept { return in_context_.count + others_.count + out_of_context_.count; }
  /// Returns true if the last time was far from the known ones.
  [[nodiscard]] bool is_deviant() const noexcept { return deviant_.count > 0; }
  [[nodiscard]] bool is_trusted() const noexcept { return trusted_; }
  [[nodiscard]] bool is_known_everywhere() const noexcept { return everywhere_; }

 private:
  /// Returns true if a time shows that the times before it were disturbed.
  [[nodiscard]] bool ends_doubt(Seconds seconds) const noexcept;

  PriorKernel prior_;
  KernelStatistics in_context_;  ///< times of this run, since the last drift
  KernelStatistics before_;
  KernelStatistics others_;          ///< times of this run, measured by other processes
  KernelStatistics out_of_context_;  ///< times of executions after a skipped kernel, and of a routine's first execution
  KernelStatistics deviant_;         ///< the last times, as far as they were far from the known ones
  std::int64_t outliers_ = 0;        ///< number of times that were so long that they were disturbed
  Seconds max_plausible_ = std::numeric_limits<Seconds>::infinity();
  std::array<float, 8> recent_{};
  std::uint32_t recent_count_ = 0;  ///< number of entries ever written to `recent_`
  bool trusted_ = false, everywhere_ = false;
};

}  // namespace flopcast::selective
