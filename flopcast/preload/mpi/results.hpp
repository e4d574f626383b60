#pragma once

#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "flopcast/path/critical_path.hpp"
#include "flopcast/preload/kernels/region_names.hpp"
#include "flopcast/selective/kernel_table.hpp"
#include "flopcast/support/page_allocator.hpp"
#include "flopcast/support/units.hpp"

/// Collects what the processes have found. All functions are collective over `world`, flopcast's communicator of all processes.
namespace flopcast::preload::mpi {

/// Result of the walk along the critical path for one process.
struct PathParts {
  path::Costs correction;  ///< sum of the differences of later estimates
  Seconds kernels = 0;     ///< this process's kernels on the critical path
};

/// Passes a token from process to process back along the critical path, from `end`. Each process counts the kernels of its parts in
/// `kernels`. Those that were estimated count with their latest estimate.
PathParts visit_critical_path(MPI_Comm world, const path::CriticalPath& path, const path::PathMark& end, selective::KernelTable& kernels,
                              const std::function<Seconds(std::uint32_t)>& estimate);

/// Adds the kernels of all processes to rank 0's.
void collect_kernels(MPI_Comm world, selective::KernelTable& kernels);
/// Adds the names of all processes' regions to rank 0's.
void collect_region_names(MPI_Comm world, RegionNames& regions);

/// Returns the values of all processes by rank, at rank 0. `Value` is trivially copyable.
template <class Value>
std::vector<Value> gather_values(MPI_Comm world, const Value& mine) {
  int rank = 0;
  int size = 1;
  PMPI_Comm_rank(world, &rank);
  PMPI_Comm_size(world, &size);
  std::vector<Value> all(static_cast<std::size_t>(rank == 0 ? size : 0));
  constexpr int bytes = static_cast<int>(sizeof(Value));
  PMPI_Gather(&mine, bytes, MPI_BYTE, all.data(), bytes, MPI_BYTE, 0, world);
  return all;
}

/// Broadcasts rank 0's records. `Record` is trivially copyable.
template <class Record>
void broadcast_records(MPI_Comm world, PageVector<Record>& records) {
  constexpr std::int64_t max_records = 1024;  // in one message
  auto count = static_cast<std::int64_t>(records.size());
  PMPI_Bcast(&count, 1, MPI_INT64_T, 0, world);
  records.resize(static_cast<std::size_t>(count));
  for (std::int64_t first = 0; first < count; first += max_records) {
    const std::int64_t part = std::min(max_records, count - first);
    PMPI_Bcast(records.data() + first, static_cast<int>(part * static_cast<std::int64_t>(sizeof(Record))), MPI_BYTE, 0, world);
  }
}

}  // namespace flopcast::preload::mpi
