#include <mpi.h>

#include <utility>

#include "flopcast/preload/mpi/piggyback.hpp"
#include "flopcast/preload/mpi/point_to_point.hpp"
#include "flopcast/preload/mpi/process_values.hpp"
#include "flopcast/preload/mpi/requests.hpp"
#include "flopcast/preload/mpi/session.hpp"

namespace flopcast::preload::mpi {
namespace {

/// Agrees on a number for the channel of a new communicator, and on the process that came last: no process can use the communicator
/// earlier.
void agree_and_attach(MPI_Comm made) {
  if (!may_have_channel(made)) {
    return;
  }
  TracingSession& all = *session();
  Agreement mine = all.propagation.agreement(true);
  mine.channel = proposed_channel(rank_in(made));
  const Agreement agreed = all.ledger.idle([&] { return agree(made, mine); });
  all.propagation.follow(agreed);
  attach_channel(made, agreed.channel);
}

}  // namespace

int made_with_channel(const InterceptGuard& inside, int result, const MPI_Comm* made) {
  if (inside && result == MPI_SUCCESS) {
    agree_and_attach(*made);
  }
  return result;
}

int made_with_channel(const InterceptGuard& inside, int result, const MPI_Comm* made, const MPI_Request* request, MPI_Comm comm) {
  if (Channel* channel = inside.channel(comm)) {
    Agreement mine = session()->propagation.agreement(true);
    mine.channel = proposed_channel(channel->rank());
    Pending pending = agreement_begun(Routine::comm_idup, *channel, mine);
    pending.pattern = path::Pattern::barrier;
    pending.made = *made;  // MPI returns it at once, as Fortran's interface needs
    requests().add(*request, std::move(pending));
  }
  return result;
}

}  // namespace flopcast::preload::mpi
