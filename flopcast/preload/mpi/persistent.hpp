#pragma once

#include <mpi.h>

#include "flopcast/preload/kernels/routines.hpp"
#include "flopcast/preload/mpi/session.hpp"

namespace flopcast::preload::mpi {

/// A message that a persistent request sends or receives.
struct PersistentMessage {
  int count = 0;
  MPI_Datatype type = MPI_DATATYPE_NULL;
  int peer = 0, tag = 0;
};

/// Remembers the communication of a new persistent request, if the call is followed and succeeded. Returns `result`, the call's.
int note_persistent(const InterceptGuard& inside, int result, Routine routine, const PersistentMessage& message, MPI_Comm comm,
                    MPI_Request request);

}  // namespace flopcast::preload::mpi
