#pragma once

#include <mpi.h>

#include "flopcast/preload/kernels/routine_list.hpp"
#include "flopcast/preload/mpi/piggyback.hpp"
#include "flopcast/preload/mpi/session.hpp"
#include "flopcast/support/units.hpp"

/// Parts of the interceptions that generate_functions writes.
namespace flopcast::preload::mpi {

/// A message to be sent.
struct Outgoing {
  Routine routine = Routine::send;
  int count = 0;
  MPI_Datatype type = MPI_DATATYPE_NULL;
  int destination = 0, tag = 0;
};

/// One call of a function that sends. The constructor decides whether the message is left empty and sends its piggyback message; then the
/// interception calls MPI with elements(), and made() puts the send on the path. A call that isn't traced passes through.
class TracedSend {
 public:
  TracedSend(const Outgoing& message, MPI_Comm comm, const void* site = __builtin_return_address(0));
  /// Returns the number of elements to send.
  [[nodiscard]] int elements() const noexcept { return elements_; }
  /// Notes that MPI has made the send, or begun one that isn't blocking. Returns `result`, MPI's answer.
  int made(int result, bool is_blocking);

 private:
  InterceptGuard inside_;
  Channel* channel_;  ///< nullptr if the call isn't traced
  int elements_;
  Communication message_;
  bool empty_ = false;  ///< the data are skipped
  bool announced_ = false;
  Seconds start_ = 0;
};

/// A message that a persistent request sends or receives.
struct PersistentMessage {
  int count = 0;
  MPI_Datatype type = MPI_DATATYPE_NULL;
  int peer = 0, tag = 0;
};

/// Remembers the communication of a new persistent request, if the call is traced and succeeded. Returns `result`, the call's.
int note_persistent(const InterceptGuard& inside, int result, Routine routine, const PersistentMessage& message, MPI_Comm comm,
                    MPI_Request request);

/// Gives a communicator that the program has made a channel. Freeing a communicator calls its attribute's function, which frees the
/// channel. Returns `result`, the call's.
int made_with_channel(const InterceptGuard& inside, int result, const MPI_Comm* made);
/// Does the same for a communicator that the processes of `comm` make without waiting. The agreement is under way beside it.
int made_with_channel(const InterceptGuard& inside, int result, const MPI_Comm* made, const MPI_Request* request, MPI_Comm comm);

}  // namespace flopcast::preload::mpi
