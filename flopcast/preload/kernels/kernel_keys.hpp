#pragma once

#include <optional>
#include <string>

#include "flopcast/preload/kernels/region_names.hpp"
#include "flopcast/selective/kernel_table.hpp"

namespace flopcast::preload::mpi {

/// Returns a name such as `dgemm`, `MPI_Bcast`, `pack`.
std::string routine_of(const selective::KernelKey& key, const RegionNames& regions);
/// Returns a key, without sizes, of the routine that routine_of() named; nothing if there is no such routine. A region's name is added to
/// `regions`.
std::optional<selective::KernelKey> key_of(selective::KernelKind kind, const std::string& routine, RegionNames& regions);

/// Returns a name such as `dgemm(NN, 100, 100, 64)`, `MPI_Bcast(8192 bytes, 4 ranks, stride 1)`, `pack(100, 64)`.
std::string kernel_name(const selective::KernelKey& key, const RegionNames& regions);

}  // namespace flopcast::preload::mpi
