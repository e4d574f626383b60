#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <utility>

#include "flopcast/core/mpi_values.hpp"
#include "flopcast/selective/kernel_table.hpp"
#include "flopcast/selective/student_quantiles.hpp"
#include "flopcast/support/field.hpp"

namespace flopcast::selective {

/// Half-width of the interval of the mean of `times`, divided by the mean, for a kernel that occurs `occurrences` times on the path. The
/// variance of its mean time there is divided by that count (Hutter and Solomonik 2021, section III-A). Infinite for fewer than two values.
double relative_half_width(const KernelStatistics& times, StudentQuantiles& quantiles, std::int64_t occurrences);

/// Returns true if the time is known well enough. `occurrences` is 1 for a policy that doesn't count.
bool is_predictable(const KernelStatistics& times, const TimePrecision& precision, StudentQuantiles& quantiles, std::int64_t occurrences);

/// Knowledge of an earlier run about a kernel. A plain record: it travels in messages.
struct PriorKernel {
  KernelKey key;
  KernelStatistics times;
  std::int64_t along = 0;  ///< count along its critical path
  double flops = 0;        ///< flops of one execution
};

}  // namespace flopcast::selective
