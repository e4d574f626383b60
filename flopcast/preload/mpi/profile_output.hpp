#pragma once

#include <array>
#include <string>
#include <vector>

#include "flopcast/core/mpi_values.hpp"
#include "flopcast/preload/kernels/call_sequence.hpp"
#include "flopcast/preload/kernels/kernel_keys.hpp"
#include "flopcast/preload/mpi/core_time.hpp"
#include "flopcast/preload/mpi/waits.hpp"
#include "flopcast/protocol/mpi_options.hpp"
#include "flopcast/protocol/mpi_profile.hpp"
#include "flopcast/selective/execution_policy.hpp"
#include "flopcast/selective/kernel_table.hpp"
#include "flopcast/support/page_allocator.hpp"
#include "flopcast/support/units.hpp"

namespace flopcast::preload::mpi {

/// Facts about one process's own work. The struct is trivially copyable, because it is gathered.
struct ProcessFacts {
  path::Costs own;
  Seconds on_path = 0;           ///< its kernels on the critical path
  Seconds own_code_on_path = 0;  ///< its other computation there
  std::array<char, 64> host{};
  LostTime lost;
  Wait longest_wait;
};

/// Returns the conditions for which kernels' times hold, beside the machine, for example `Open MPI v4.1.4, wall clock, 4 processes,
/// /usr/lib/libopenblas.so (35142912 bytes), Zen kernels, 1 thread`.
std::string where_times_hold(int processes, bool cpu_clock);

/// Returns the kernels of an earlier profile, without those that this flopcast doesn't know or that were measured under other conditions
/// than `where`. If the file can't be read, complains on standard error and returns none.
PageVector<selective::PriorKernel> read_prior_kernels(const std::string& file, const std::string& where, RegionNames& regions) noexcept;

/// Adds the facts that rank 0 knows by itself, and those that it has gathered: `processes` and `calls` by their ranks.
void describe_run(const protocol::MpiOptions& options, bool cpu_clock, const std::vector<ProcessFacts>& processes,
                  const std::vector<CallSequence>& calls, MpiProfile& profile);

/// Returns the sums over the kernels of all processes.
MpiKernelSums sums_of(const PageVector<selective::KernelRecord>& kernels);

/// Appends a line to the results' file: the begin of execution `number`, or its profile with the kernels that a tuning learns from. A line
/// is written as a whole or not at all; errors are reported on standard error.
void append_beginning(const protocol::MpiOptions& options, std::size_t number) noexcept;
void append_profile(const protocol::MpiOptions& options, std::size_t number, const MpiProfile& profile,
                    const PageVector<selective::KernelRecord>& kernels, const RegionNames& regions) noexcept;

/// Writes the profile as a whole or not at all; errors are reported on standard error.
void write_profile_file(const protocol::MpiOptions& options, const MpiProfile& profile, const PageVector<selective::KernelRecord>& kernels,
                        const RegionNames& regions) noexcept;

}  // namespace flopcast::preload::mpi
