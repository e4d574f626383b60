#pragma once

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

}  // namespace flopcast::selective
