#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "flopcast/selective/decision_rules.hpp"
#include "flopcast/selective/kernel_table.hpp"
#include "flopcast/selective/kernel_times.hpp"
#include "flopcast/selective/size_model.hpp"
#include "flopcast/support/units.hpp"

namespace flopcast::selective {

/// Relative deviations of times from the mean of their kernel's earlier ones.
class RelativeDeviations {
 public:
  /// Number of deviations below which they say nothing.
  static constexpr std::int64_t min_degrees = 4;

  void add(double relative) noexcept;
  [[nodiscard]] std::int64_t count() const noexcept { return count_; }
  /// Returns true if there are enough deviations.
  [[nodiscard]] bool are_enough() const noexcept { return count_ >= min_degrees; }
  /// Returns the variance. Once there are enough deviations, it comes from the median of the last ones, so that a single disturbed time
  /// doesn't make all others doubtful.
  [[nodiscard]] double variance() const;

 private:
  double squares_ = 0;
  std::int64_t count_ = 0;
  std::array<float, 16> recent_{};  ///< magnitudes of the last ones
};

/// Number of powers of ten of a kernel's time that are told apart.
inline constexpr std::size_t time_decades = 8;
/// Returns the index of a time's power of ten; times below 100 ns count as the shortest.
[[nodiscard]] std::size_t decade_of(Seconds seconds);

/// The sizes of one routine with which a program calls it: their times tell those of other sizes.
class RoutineFamily {
 public:
  /// Adds the size of kernel `number`.
  void add(std::uint32_t number, const KernelKey& key, double flops);
  /// Forgets what this run has found, but not its deviations.
  void begin_run();
  /// Forgets the ratio of measured to predicted times.
  void begin_execution() noexcept { taken_ = predicted_ = 0, ratio_count_ = 0; }
  /// Forgets what the run's first execution has found.
  void doubt_first_execution();

  /// Notes that one of the sizes was executed.
  void note_execution() noexcept {
    ++executed_;
    predicted_in_a_row = 0;
  }
  [[nodiscard]] bool is_executed() const noexcept { return executed_ > 0; }
  /// Notes a time out of context of a size whose times in context are `in_context`.
  void note_out_of_context(const KernelStatistics& in_context, Seconds seconds);
  /// Returns the time in the program of a kernel that took `seconds` out of context, by others of the routine that take about as long. Data
  /// in the caches make small copies four times as fast there, but don't change copies of 100 MB.
  [[nodiscard]] Seconds as_in_context(Seconds seconds) const;
  /// Times below this are as short as a decision, and don't count for the ratio.
  static constexpr Seconds min_for_ratio = 1e-5;
  /// Notes a time of this execution, at least `min_for_ratio`, that the model predicted as `predicted`.
  void note_ratio(Seconds predicted, Seconds seconds) noexcept;
  /// Returns the ratio of this execution's times to predicted ones, damped as if two more kernels had taken the predicted time. The kernels
  /// of one configuration share a block size, for which a library may be faster or slower than for its neighbours.
  [[nodiscard]] double ratio() const noexcept;

  /// Returns true for a call with an extent of zero, which a program makes where a process has no part of a matrix. Such a call returns at
  /// once, which says nothing of others.
  [[nodiscard]] bool has_nothing_to_do(const KernelKey& key, double flops) const noexcept;
  /// Fits the model anew if there is none, or if the family has been executed an eighth more often than at the last fit. `times`: those of
  /// all kernels, by number; `prior_counts`: times from before this run count.
  void fit_if_due(std::span<const KernelTimes> times, bool prior_counts);
  /// Forgets the model, if the family is small: a new one may reach farther.
  void forget_small_model();
  [[nodiscard]] const std::optional<SizeModel>& model() const noexcept { return model_; }
  /// Number of the current model, counted from the first.
  [[nodiscard]] std::int64_t fit() const noexcept { return fit_; }
  /// Numbers of the kernels.
  [[nodiscard]] std::vector<std::uint32_t> kernels() const;

  PriorAgreement prior;
  RelativeDeviations deviations;
  std::int64_t predicted_in_a_row = 0;  ///< predictions since the last execution of a size

 private:
  struct Member {
    std::uint32_t number = 0;
    SizeTerms terms{};
    SizePlace place{};
    double flops = 0;
    std::size_t sizes = 0;  ///< number of sizes that aren't zero
  };
  /// Logarithms of times out of context divided by times in the program.
  struct ContextFactors {
    double sum = 0;
    std::int64_t count = 0;
  };
  [[nodiscard]] bool has_nothing_to_do(double flops, std::size_t sizes) const noexcept;
  [[nodiscard]] std::vector<SizeModel::FittedPoint> known_sizes(std::span<const KernelTimes> times, bool prior_counts) const;

  std::vector<Member> members_;
  double max_flops_ = 0;
  std::size_t max_sizes_ = 0;
  std::optional<SizeModel> model_;
  std::int64_t executed_ = 0;   ///< number of executions in this run
  std::int64_t fitted_at_ = 0;  ///< value of `executed_` at the last fit
  std::int64_t fit_ = 0;
  Seconds taken_ = 0, predicted_ = 0;  ///< sums over this execution
  std::int64_t ratio_count_ = 0;
  std::array<ContextFactors, time_decades> context_factors_{};
};

}  // namespace flopcast::selective
