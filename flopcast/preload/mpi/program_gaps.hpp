#pragma once

#include <cstdint>

#include "flopcast/selective/kernel_table.hpp"
#include "flopcast/support/page_allocator.hpp"
#include "flopcast/support/units.hpp"

namespace flopcast::preload::mpi {

/// Times of the program's own code between two kernels. That code runs faster among kernels that are skipped. Short pieces therefore count
/// with their usual time after the same kernel where everything is executed.
class ProgramGaps {
 public:
  /// Notes the latest kernel that this process executed or skipped.
  void note_kernel(std::uint32_t kernel) noexcept { last_kernel_ = kernel; }
  /// Returns the time that counts for a piece of code that took `seconds` after the latest kernel. `in_context`: no kernel was skipped
  /// shortly before.
  Seconds counted(Seconds seconds, bool in_context);
  /// Returns the variance of the code in this process's parts of the critical path, along which `kernels` lie.
  [[nodiscard]] double variance_along(const PageVector<selective::KernelRecord>& kernels) const;

 private:
  std::uint32_t last_kernel_ = 0;
  PageVector<selective::KernelStatistics> after_;  ///< statistics of the code after each kernel, where no kernel is skipped
};

}  // namespace flopcast::preload::mpi
