#pragma once

/// Why windows: a kernel's real neighbours have left caches and memory as they do, and other processes are as busy as ever. A kernel executed
/// among skipped ones finds other data in the caches and takes another time. (Systematic sampling with warming: Wunderlich, Wenisch, Falsafi
/// and Hoe, "SMARTS: accelerating microarchitecture simulation via rigorous statistical sampling", 2003.)
///
/// Windows lie at places of the path, not of each process's own time. Since paths travel with messages, all processes come to a window at
/// about the same time without further communication. Windows begin at random places of equal periods, so that none is in step with the
/// program. Every execution also begins with a window: until a kernel is skipped, caches and memory are exactly as in the program.
#include <optional>

#include "flopcast/selective/execution_policy.hpp"
#include "flopcast/support/units.hpp"

namespace flopcast::selective {

/// Intervals of the path in which every kernel is executed, however well it is known, so that it is timed under the program's conditions.
/// WindowSchedule uses one such set for each execution.
class ExecutionWindows {
 public:
  /// One window of `width` in each `period`: a tenth of the path. Each is long enough for data that stream through the last-level cache to
  /// come round several times before they are timed. The first `beginning` of every execution is a window, too.
  explicit ExecutionWindows(Seconds period = 0.4, Seconds width = 0.04, Seconds beginning = 0.02)
      : period_(period), width_(width), beginning_(beginning) {}

  /// Returns the windows with `times` times the distance. The first window, which needs no recovery, gets shorter by the same factor,
  /// because an execution has only one.
  [[nodiscard]] ExecutionWindows rarer(double times) const { return ExecutionWindows(period_ * times, width_, beginning_ / times); }

  /// Returns the windows for an execution whose path is about `path` long. Windows that are farther apart than that become shorter and
  /// denser, so that the execution has one. The first window takes at most 1.5 % of the path. With the first window alone, in which memory
  /// and caches are used for the first time, kernels would look slower than they are.
  [[nodiscard]] ExecutionWindows within(Seconds path) const;

  /// Returns true if the end of a path of this length lies in a window; `before` is the length of earlier executions' paths.
  [[nodiscard]] bool contain(Seconds path, Seconds before = 0) const noexcept { return left(path, before) > 0; }
  /// Rest of the window in which the path ends; 0 if it ends in none.
  [[nodiscard]] Seconds left(Seconds path, Seconds before = 0) const noexcept;

 private:
  Seconds period_, width_, beginning_;
};

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
