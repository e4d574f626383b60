#pragma once

#include "flopcast/core/units.hpp"

namespace flopcast::path {

/// Stretches of the path in which everything is executed, however well it is known, so that kernels are timed as they run in the program:
/// after their real neighbours, which have left caches and memory as they do, and while other processes are as busy as ever. A kernel
/// executed among skipped ones finds other data in the caches and takes another time. (Systematic sampling with warming: Wunderlich,
/// Wenisch, Falsafi and Hoe, "SMARTS: accelerating microarchitecture simulation via rigorous statistical sampling", 2003.)
///
/// Windows lie at places of the path and not of each process's own time: since paths go along with messages, all processes come to a window
/// at about the same time without a word about it. They begin at random places of equal periods, so that none is in step with the program.
///
/// Every execution begins with a window, too: until something is left out, caches and memory are exactly as in the program.
class ExecutionWindows {
 public:
  /// One window of `width` in each `period`: a tenth of the path, each long enough for what streams through the last-level cache to come
  /// round several times and then to be timed. The first `beginning` of every execution is one.
  explicit ExecutionWindows(Seconds period = 0.4, Seconds width = 0.04, Seconds beginning = 0.02)
      : period_(period), width_(width), beginning_(beginning) {}

  /// The same windows, so many times as far apart. The first one, before which nothing has to settle, gets shorter by as much instead: an
  /// execution has only one.
  [[nodiscard]] ExecutionWindows rarer(double times) const { return ExecutionWindows(period_ * times, width_, beginning_ / times); }

  /// The same windows for an execution whose path is about so long: those that are farther apart become shorter and denser, so that it has one,
  /// and the first one takes at most 1.5 % of it. With the first alone, in which memory and caches are used for the first time,
  /// kernels would look slower than they are.
  [[nodiscard]] ExecutionWindows within(Seconds path) const;

  /// Whether the end of a path of this length lies in one, `before` being the length of earlier executions' paths.
  [[nodiscard]] bool contain(Seconds path, Seconds before = 0) const noexcept { return left(path, before) > 0; }
  /// What is left of the window that it lies in; 0 if it lies in none.
  [[nodiscard]] Seconds left(Seconds path, Seconds before = 0) const noexcept;

 private:
  Seconds period_, width_, beginning_;
};

}  // namespace flopcast::path
