#pragma once

#include <optional>

#include "flopcast/selective/execution_policy.hpp"
#include "flopcast/selective/execution_windows.hpp"
#include "flopcast/support/units.hpp"

namespace flopcast::selective {

/// The windows of one execution after another: none under policies that take none, and rarer ones while they teach little.
class WindowSchedule {
 public:
  /// Without `windows` no execution has any.
  WindowSchedule(Policy policy, std::optional<ExecutionWindows> windows);

  /// Begins an execution after one whose path had the length `before`. A full execution has windows if `learns_from_full`.
  void begin_execution(Policy policy, Seconds before, bool learns_from_full);
  /// Returns true if the present execution has windows.
  [[nodiscard]] bool has_windows() const noexcept { return windows_.has_value(); }
  /// Returns true if a path of this length ends in a window.
  [[nodiscard]] bool contain(Seconds path) const noexcept { return windows_ && windows_->contain(path, before_); }
  /// Rest of the window in which a path of this length ends. The execution must have windows.
  [[nodiscard]] Seconds left(Seconds path) const noexcept { return windows_->left(path, before_); }

  /// Notes the time of a kernel outside of windows, and whether the time was known.
  void note_kernel(Seconds seconds, bool known) noexcept {
    kernel_seconds_ += seconds;
    known_seconds_ += known ? seconds : 0;
  }
  /// Share of this execution's kernel time outside of windows that belongs to kernels whose times were known.
  [[nodiscard]] double known_share() const noexcept { return kernel_seconds_ > 0 ? known_seconds_ / kernel_seconds_ : 0; }
  /// Makes windows rarer while executions find few unknown kernels, and denser, down to the initial distance, when they find many. `share`
  /// is the least known_share() of all processes, so that the processes agree.
  void space(double share) noexcept;

 private:
  std::optional<ExecutionWindows> wanted_;   ///< windows for policies that use them
  std::optional<ExecutionWindows> windows_;  ///< windows of the present execution
  double rarer_ = 1;                         ///< factor by which windows are rarer than at first
  Seconds before_ = 0;                       ///< length of the paths of earlier executions: windows lie at places of all paths together
  Seconds kernel_seconds_ = 0, known_seconds_ = 0;
};

}  // namespace flopcast::selective
