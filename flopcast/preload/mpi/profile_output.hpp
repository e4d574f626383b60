#pragma once

#include <array>
#include <string>
#include <vector>

#include "flopcast/path/critical_path.hpp"
#include "flopcast/path/message_model.hpp"
#include "flopcast/preload/kernels/call_sequence.hpp"
#include "flopcast/preload/kernels/kernel_keys.hpp"
#include "flopcast/preload/mpi/core_time.hpp"
#include "flopcast/preload/mpi/traffic.hpp"
#include "flopcast/preload/mpi/waits.hpp"
#include "flopcast/protocol/mpi_options.hpp"
#include "flopcast/selective/execution_policy.hpp"
#include "flopcast/selective/kernel_table.hpp"
#include "flopcast/selective/prediction_interval.hpp"
#include "flopcast/selective/time_spent.hpp"
#include "flopcast/support/page_allocator.hpp"
#include "flopcast/support/units.hpp"

namespace flopcast::preload::mpi {

/// Facts about one process's own work. The struct is trivially copyable, because it is gathered.
struct ProcessFacts {
  path::Costs own;
  Seconds on_path = 0;  ///< its kernels on the critical path
  std::array<char, 64> host{};
  LostTime lost;
  Wait longest_wait;
};

/// Facts that rank 0 knows at the end, apart from the kernels.
struct ProfileFacts {
  int ranks = 1;
  bool cpu_clock = false;
  double granted_cpus = 0;  ///< CPUs that a control group with more processes grants; 0: no limit
  bool complete = true;     ///< no process's event log was full
  bool sessions = false;    ///< the program uses sessions, which aren't followed
  int spawned = 0;          ///< processes that the program has started, which aren't followed
  double bypassing = 0;     ///< messages that flopcast has seen at one end only, or not at all
  int prefixed = 0;         ///< not 0: the program calls MPI by names with PMPI_ or by addresses from dlsym
  int simultaneous = 0;     ///< calls that weren't followed, because another thread of the process was in a call
  Seconds elapsed = 0;      ///< measured wall time of the slowest process
  path::PathMark longest;
  path::Costs max, sum;                 ///< largest and total costs of the processes' own work
  std::vector<ProcessFacts> processes;  ///< index: rank
  selective::TimeSpent spent;           ///< the sum over the processes
  path::MessageModel messages;
  double program_variance = 0;      ///< variance of the program's own code along the critical path
  selective::RunTimeRatio pace;     ///< sums over all processes
  Seconds prediction_error = 0;     ///< half-width, of the process with the greatest error
  Traffic traffic;                  ///< sums over all processes
  std::vector<CallSequence> calls;  ///< index: rank
};

/// Returns the conditions for which kernels' times hold, beside the machine, for example `Open MPI v4.1.4, wall clock, 4 processes,
/// /usr/lib/libopenblas.so (35142912 bytes), Zen kernels, 1 thread`.
std::string where_times_hold(int processes, bool cpu_clock);

/// Returns the kernels of an earlier profile, without those that this flopcast doesn't know or that were measured under other conditions
/// than `where`. If the file can't be read, complains on standard error and returns none.
PageVector<selective::PriorKernel> read_prior_kernels(const std::string& file, const std::string& where, RegionNames& regions) noexcept;

/// Appends a line to the results' file: the begin of execution `number`, or its profile. A line is written as a whole or not at all; errors
/// are reported on standard error.
void append_beginning(const protocol::MpiOptions& options, std::size_t number) noexcept;
void append_profile(const protocol::MpiOptions& options, std::size_t number, const ProfileFacts& facts,
                    const PageVector<selective::Kernel>& kernels, const RegionNames& regions) noexcept;

/// Writes the profile as a whole or not at all; errors are reported on standard error.
void write_profile_file(const protocol::MpiOptions& options, const ProfileFacts& facts, const PageVector<selective::Kernel>& kernels,
                        const RegionNames& regions) noexcept;

}  // namespace flopcast::preload::mpi
