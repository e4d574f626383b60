#pragma once

#include <limits>

#include "flopcast/selective/kernel_table.hpp"
#include "flopcast/support/units.hpp"

namespace flopcast::selective {

/// Tells whether a kernel that is executed now finds the caches as the program leaves them. After a kernel was skipped, some megabytes
/// must pass through a core's caches first.
class ProgramContext {
 public:
  void begin_execution() noexcept { since_skipped_ = std::numeric_limits<Seconds>::infinity(); }
  /// Notes that something was skipped.
  void skipped() noexcept { since_skipped_ = 0; }
  /// Returns true if enough kernels were executed since one was skipped.
  [[nodiscard]] bool is_settled() const noexcept { return since_skipped_ >= min_settling; }
  /// Takes the time of an executed kernel; returns true if the kernel took that time in the program's context.
  bool executed(const KernelRecord& kernel, Seconds seconds);

 private:
  /// Time after which executed kernels have left a core's caches as the program would.
  static constexpr Seconds min_settling = 1e-3;

  [[nodiscard]] bool is_bound_by_memory(const KernelRecord& kernel, Seconds seconds) const;

  double best_rate_ = 0;                                              ///< highest flops per second of any kernel, without short ones
  Seconds since_skipped_ = std::numeric_limits<Seconds>::infinity();  ///< time of kernels executed after the last one that was skipped
};

}  // namespace flopcast::selective
