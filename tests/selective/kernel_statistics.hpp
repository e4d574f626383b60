#pragma once

#include <cstdint>
#include <initializer_list>

#include "flopcast/selective/kernel_table.hpp"

namespace flopcast::selective {

/// Returns the statistics of a kernel whose executions took `values` seconds.
inline KernelStatistics times(std::initializer_list<double> values) {
  KernelStatistics statistics;
  for (const double value : values) {
    statistics.add(value);
  }
  return statistics;
}

/// Returns a kernel of order n.
inline KernelRecord kernel_of_order(std::int64_t n) {
  KernelRecord kernel;
  kernel.key.words[0] = n;
  kernel.flops = static_cast<double>(n * n * n);
  return kernel;
}
/// Returns the time of this kernel.
inline Seconds time_of_order(std::int64_t n) { return 1e-6 + 1e-9 * static_cast<double>(n * n * n); }

}  // namespace flopcast::selective
