#pragma once

#include <cstddef>

#include "flopcast/report/table.hpp"
#include "flopcast/tasks/mpi/simulation_result.hpp"

namespace flopcast::cli {

/// Returns a row for each number of processes, those that couldn't be simulated last.
report::Table simulation_table(const MpiSimulation& simulation);

/// Returns at most `max_kernels` kernels, those with most time on the critical path first.
report::Table simulated_kernel_table(const SimulatedRun& run, std::size_t max_kernels = 20);
std::vector<report::Column> simulated_kernel_columns();

}  // namespace flopcast::cli
