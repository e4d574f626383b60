#pragma once

#include "flopcast/preload/kernels/routine_list.hpp"

namespace flopcast::preload::mpi {

/// Returns a name such as `MPI_Send`. The enumeration of routines is generated from mpi/functions.txt.
inline const char* routine_name(Routine routine) noexcept { return routine_names[static_cast<std::size_t>(routine)]; }

}  // namespace flopcast::preload::mpi
