#pragma once

#include <span>

#include "flopcast/core/mpi_values.hpp"
#include "flopcast/selective/kernel_table.hpp"
#include "flopcast/support/units.hpp"

namespace flopcast::selective {

/// Variance, from one execution of the program to the next, of the time of `along` occurrences of a kernel that is predicted from `times`.
/// It contains the error of the mean, which all occurrences share, and the scatter of each occurrence about it.
double variance_along(double along, const KernelStatistics& times) noexcept;

/// Relative deviation between whole executions of a launch. Clocks, and the places of data in memory, make all kernels of an execution
/// faster or slower together, so that these deviations don't average out. The result is the standard deviation of the logarithms of the
/// executions' paces. It comes from the median of their magnitudes, weighted by the time behind each: an execution with a few short
/// windows, or a disturbed one, says little. Returns 0 without a pace.
double between_run_deviation(std::span<const RunTimeRatio> executions) noexcept;

}  // namespace flopcast::selective
