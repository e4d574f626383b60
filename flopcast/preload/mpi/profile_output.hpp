#pragma once

#include <array>
#include <string>
#include <vector>

#include "flopcast/support/own_pages.hpp"
#include "flopcast/support/units.hpp"
#include "flopcast/protocol/mpi_options.hpp"
#include "flopcast/preload/kernels/call_sequence.hpp"
#include "flopcast/preload/kernels/region_names.hpp"
#include "flopcast/path/critical_path.hpp"
#include "flopcast/selective/execution_policy.hpp"
#include "flopcast/selective/kernel_table.hpp"
#include "flopcast/path/message_model.hpp"
#include "flopcast/selective/prediction_interval.hpp"
#include "flopcast/selective/time_spent.hpp"

namespace flopcast::interpose::mpi {

/// What one process did itself. A plain record: it is gathered.
struct ProcessFacts {
  path::Costs own;
  Seconds on_path = 0;  ///< of its kernels on the critical path
  std::array<char, 64> host{};
};

/// What rank 0 knows at the end, apart from the kernels.
struct ProfileFacts {
  int ranks = 1;
  bool cpu_clock = false;
  double granted_cpus = 0;  ///< CPUs' worth of time that the control group of more processes grants; 0: none does
  bool complete = true;     ///< no process's event log was full
  bool sessions = false;    ///< the program uses some, which aren't followed
  int spawned = 0;          ///< processes that it has started, which aren't followed
  Seconds elapsed = 0;      ///< wall time in which was measured, of the slowest process
  path::PathMark longest;
  path::Costs most, sum;                ///< of what the processes did themselves
  std::vector<ProcessFacts> processes;  ///< by rank
  path::TimeSpent spent;                ///< the sum over the processes
  path::MessageModel messages;
  double program_variance = 0;      ///< of the program's own code along the critical path
  path::Pace pace;                  ///< of all processes
  Seconds prediction_error = 0;     ///< half-width, of the process with the greatest
  std::vector<CallSequence> calls;  ///< by rank
};

/// `Open MPI v4.1.4, wall clock, 4 processes, /usr/lib/libopenblas.so (35142912 bytes), Zen kernels, 1 thread`: what kernels' times hold for, beside
/// the machine.
std::string where_times_hold(int processes, bool cpu_clock);

/// The kernels of an earlier profile; those that this flopcast doesn't know, or that say they were measured elsewhere than `where`, are
/// left out. None, and a complaint on standard error, if it can't be read.
OwnVector<path::PriorKernel> read_prior_kernels(const std::string& file, const std::string& where, RegionNames& regions) noexcept;

/// Appends a line to the results' file: execution `number` begins, or its profile. A line is there as a whole or not at all; complains on
/// standard error where it can't be.
void append_beginning(const MpiOptions& options, std::size_t number) noexcept;
void append_profile(const MpiOptions& options, std::size_t number, const ProfileFacts& facts, const OwnVector<path::Kernel>& kernels,
                    const RegionNames& regions) noexcept;

/// Writes the profile as a whole or not at all; complains on standard error where it can't.
void write_profile_file(const MpiOptions& options, const ProfileFacts& facts, const OwnVector<path::Kernel>& kernels,
                        const RegionNames& regions) noexcept;

}  // namespace flopcast::interpose::mpi
