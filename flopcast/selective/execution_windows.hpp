#pragma once

#include "flopcast/support/units.hpp"

/// Why windows: a kernel's real neighbours have left caches and memory as they do, and other processes are as busy as ever. A kernel executed
/// among skipped ones finds other data in the caches and takes another time. (Systematic sampling with warming: Wunderlich, Wenisch, Falsafi
/// and Hoe, "SMARTS: accelerating microarchitecture simulation via rigorous statistical sampling", 2003.)
///
/// Windows lie at places of the path, not of each process's own time. Since paths travel with messages, all processes come to a window at
/// about the same time without further communication. Windows begin at random places of equal periods, so that none is in step with the
/// program. Every execution also begins with a window: until a kernel is skipped, caches and memory are exactly as in the program.
namespace flopcast::selective {

/// Intervals of the path in which every kernel is executed, however well it is known, so that it is timed under the program's conditions.
/// WindowSchedule uses one such set for each execution.
class ExecutionWindows {
 public:
  /// One window of `width` in each `period`: a tenth of the path. Each is long enough for data that stream through the last-level cache to
  /// come round several times before they are timed. The first `beginning` of every execution is a window, too.
  explicit ExecutionWindows(Seconds period = 0.4, Seconds width = 0.04, Seconds beginning = 0.02)
      : period_(period), width_(width), beginning_(beginning) {}

  /// Returns the windows with `times` times the distance. The first window, which needs no settling, gets shorter by the same factor,
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

}  // namespace flopcast::selective
