#pragma once

#include <cmath>
#include <cstdint>

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

}  // namespace flopcast::selective
