#pragma once

#include <mpi.h>

#include <cstdint>
#include <functional>

#include "flopcast/path/critical_path.hpp"
#include "flopcast/preload/kernels/kernel_keys.hpp"
#include "flopcast/preload/mpi/timeline_bins.hpp"
#include "flopcast/preload/mpi/timeline_events.hpp"
#include "flopcast/selective/kernel_table.hpp"
#include "flopcast/support/units.hpp"

/// Collects what the processes have found. All functions are collective over `world`, flopcast's communicator of all processes.
namespace flopcast::preload::mpi {

/// Result of the walk along the critical path for one process.
struct PathParts {
  path::Costs correction;  ///< sum of the differences of later estimates
  Seconds kernels = 0;     ///< this process's kernels on the critical path
  Seconds own_code = 0;    ///< computation outside of kernels on the critical path
};

/// The end of the critical path, or of a part of it.
struct PathEnd {
  path::LogCursor place;
  Seconds time = 0;  ///< wall time since all processes began
};

/// Passes a token from process to process back along the critical path, from `end`. Each process counts the kernels of its parts in
/// `kernels`. Those that were estimated count with their latest estimate. `timeline`, unless nullptr, gets the times of the parts.
PathParts visit_critical_path(MPI_Comm world, const path::CriticalPath& path, const PathEnd& end, selective::KernelTable& kernels,
                              const std::function<Seconds(std::uint32_t)>& estimate, TimelineBins* timeline, TimelineEvents* parts);

/// Adds the kernels of all processes to rank 0's.
void collect_kernels(MPI_Comm world, selective::KernelTable& kernels);
/// Adds the names of all processes' regions to rank 0's.
void collect_region_names(MPI_Comm world, RegionNames& regions);

}  // namespace flopcast::preload::mpi
