#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "flopcast/cli/mpi/profile_tables.hpp"
#include "flopcast/cli/shared/columns.hpp"
#include "flopcast/support/units.hpp"

namespace flopcast::cli {

/// Returns the columns that every table of kernels begins with: the kernel and its executions along the path, whose length is `path`.
template <class Kernel>
Columns<Kernel> kernel_columns(Seconds path) {
  Columns<Kernel> columns;
  columns.template show<&Kernel::name>("kernel");
  columns.add(number_column("on path", "on path", "", "executions on the critical path"),
              [](const Kernel& kernel) { return kernel.along.count; });
  columns.add(number_column("seconds", "time", "s", "time of these executions"), [](const Kernel& kernel) { return kernel.along.seconds; });
  columns.add(number_column("percent_of_path", "% of path", "%", "their part of the critical path"),
              [path](const Kernel& kernel) { return percent_cell(kernel.along.seconds, path); });
  columns.add(number_column("mean_seconds", "mean", "s", "mean time of one execution"),
              [](const Kernel& kernel) { return kernel.along.mean; });
  return columns;
}

/// Returns at most `max_kernels` kernels, those with most time along the critical path first.
template <class Kernel>
std::vector<Kernel> longest_kernels(std::vector<Kernel> kernels, std::size_t max_kernels) {
  std::stable_sort(kernels.begin(), kernels.end(), [](const Kernel& a, const Kernel& b) { return a.along.seconds > b.along.seconds; });
  kernels.resize(std::min(max_kernels, kernels.size()));
  return kernels;
}

}  // namespace flopcast::cli
