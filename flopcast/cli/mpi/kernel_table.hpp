#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <utility>
#include <vector>

#include "flopcast/cli/mpi/profile_tables.hpp"
#include "flopcast/cli/shared/columns.hpp"
#include "flopcast/report/table.hpp"
#include "flopcast/support/units.hpp"

namespace flopcast::cli {

/// A column of a table of kernels.
template <class Kernel>
struct KernelColumn {
  report::Column heading;
  std::function<report::Cell(const Kernel&)> cell;
};

/// Returns a row for each of at most `max_kernels` kernels, those with most time along the critical path first. The columns are the kernel
/// and its executions along the path, of which `path` is the length, and then `more`.
template <class Kernel>
report::Table kernel_table(std::vector<Kernel> kernels, std::size_t max_kernels, Seconds path,
                           const std::vector<KernelColumn<Kernel>>& more) {
  std::stable_sort(kernels.begin(), kernels.end(), [](const Kernel& a, const Kernel& b) { return a.along.seconds > b.along.seconds; });
  kernels.resize(std::min(max_kernels, kernels.size()));
  std::vector<KernelColumn<Kernel>> columns = {
      {column<"mpi kernels">("kernel"), [](const Kernel& kernel) { return report::Cell(kernel.name); }},
      {column<"mpi kernels">("on path"), [](const Kernel& kernel) { return report::whole(kernel.along.count); }},
      {column<"mpi kernels">("seconds"), [](const Kernel& kernel) { return seconds_cell(kernel.along.seconds); }},
      {column<"mpi kernels">("percent_of_path"), [path](const Kernel& kernel) { return percent_cell(kernel.along.seconds, path); }},
      {column<"mpi kernels">("mean_seconds"), [](const Kernel& kernel) { return seconds_cell(kernel.along.mean); }}};
  columns.insert(columns.end(), more.begin(), more.end());
  report::Table table;
  for (const KernelColumn<Kernel>& column : columns) {
    table.columns.push_back(column.heading);
  }
  for (const Kernel& kernel : kernels) {
    std::vector<report::Cell> row;
    for (const KernelColumn<Kernel>& column : columns) {
      row.push_back(column.cell(kernel));
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

}  // namespace flopcast::cli
