#pragma once

#include <mpi.h>

#include <optional>
#include <vector>

#include "flopcast/preload/kernels/kernel_keys.hpp"
#include "flopcast/preload/mpi/open_region.hpp"
#include "flopcast/preload/mpi/path_ledger.hpp"
#include "flopcast/preload/mpi/timeline_bins.hpp"
#include "flopcast/preload/mpi/waits.hpp"
#include "flopcast/protocol/mpi_profile.hpp"

/// Collects what processes have lost, where and when. All functions are collective over `world`.
namespace flopcast::preload::mpi {

/// Returns the longest waits of all processes, complete at rank 0, which knows all names of regions.
std::vector<MpiWaiting> collect_waits(MPI_Comm world, const Waits& mine, const RegionNames& regions);
/// Returns the efficiencies of the regions of all processes, complete at rank 0, which knows all names.
std::vector<MpiRegion> collect_region_loads(MPI_Comm world, const std::vector<RegionLoad>& mine, const RegionNames& regions);

/// Returns the timelines of at most MpiTimeline::max_processes processes up to `end`, at rank 0. `mine` is nullptr in all processes or in
/// none.
std::optional<MpiTimeline> collect_timelines(MPI_Comm world, TimelineBins* mine, Seconds end);

/// Adds at most `max_events` events of all processes to rank 0's `timeline`, each process as many as the others at most.
void collect_events(MPI_Comm world, PathLedger& ledger, selective::KernelTable& kernels, const RegionNames& regions, std::size_t max_events,
                    MpiTimeline& timeline);

}  // namespace flopcast::preload::mpi
