#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "flopcast/protocol/mpi_profile.hpp"
#include "flopcast/report/table.hpp"
#include "flopcast/support/units.hpp"

/// Tables of profiles of MPI programs.
namespace flopcast::cli {

/// Returns one line with processes, clock, critical path, slowest process and flopcast's own messages.
std::string profile_summary(const MpiProfile& profile);

/// Returns the tables of costs, of processes (if the profile has them) and of kernels.
std::vector<report::Table> profile_tables(const MpiProfile& profile, std::size_t max_kernels = 20);

/// Returns at most `max_kernels` kernels, those with most time on the critical path first.
report::Table profile_kernel_table(const MpiProfile& profile, std::size_t max_kernels);

/// Returns 100 * part / whole with one decimal; 0 if `whole` is 0.
report::Cell percent_cell(double part, double whole);

}  // namespace flopcast::cli
