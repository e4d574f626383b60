#include <mpi.h>

#include <memory>
#include <utility>

#include "flopcast/preload/mpi/requests.hpp"
#include "flopcast/preload/mpi/session.hpp"
#include "flopcast/preload/mpi/shadow.hpp"

/// Gives each communicator that the program makes a channel. Freeing a communicator calls its attribute's function, which frees the
/// channel.
using namespace flopcast::preload::mpi;

namespace {

/// Agrees on a number for the channel of a new communicator, and on the process that came last: no process can use the communicator
/// earlier.
void agree_and_attach(MPI_Comm made) {
  if (!may_have_channel(made)) {
    return;
  }
  Session& all = *session();
  int rank = 0;
  PMPI_Comm_rank(made, &rank);
  Agreement mine = all.agreement(true);
  mine.channel = proposed_channel(rank);
  const Agreement agreed = all.idle([&] { return agree(made, mine); });
  all.follow(agreed);
  attach_channel(made, agreed.channel);
}

/// Makes a communicator by `make` and gives it a channel.
template <class Make>
int made_with_channel(MPI_Comm* made, Make make) {
  const InterceptGuard inside;
  const int result = make();
  if (inside && result == MPI_SUCCESS) {
    agree_and_attach(*made);
  }
  return result;
}

/// Makes a communicator without waiting. The agreement is under way beside it, among the processes of `comm`.
template <class Make>
int made_with_channel_later(MPI_Comm comm, MPI_Comm* made, MPI_Request* request, Make make) {
  const InterceptGuard inside;
  Channel* channel = inside ? channel_of(comm) : nullptr;
  if (channel == nullptr) {
    return make();
  }
  Pending pending;
  pending.routine = Routine::comm_idup;
  pending.pattern = flopcast::path::Pattern::barrier;
  pending.channel = channel->shared_from_this();
  pending.agreement = std::make_unique<AgreementInFlight>();
  pending.agreement->mine = session()->agreement(true);
  pending.agreement->mine.channel = proposed_channel(channel->rank());
  channel->begin_to_agree(pending.agreement->mine, pending.agreement->all, pending.agreement->request);
  const int result = make();
  pending.made = *made;  // MPI returns it at once, as Fortran's interface needs
  requests().add(*request, std::move(pending));
  return result;
}

}  // namespace

extern "C" {

#pragma GCC visibility push(default)

int MPI_Comm_dup(MPI_Comm comm, MPI_Comm* made) {
  return made_with_channel(made, [&] { return PMPI_Comm_dup(comm, made); });
}

int MPI_Comm_dup_with_info(MPI_Comm comm, MPI_Info info, MPI_Comm* made) {
  return made_with_channel(made, [&] { return PMPI_Comm_dup_with_info(comm, info, made); });
}

int MPI_Comm_idup(MPI_Comm comm, MPI_Comm* made, MPI_Request* request) {
  return made_with_channel_later(comm, made, request, [&] { return PMPI_Comm_idup(comm, made, request); });
}

#if MPI_VERSION >= 4
int MPI_Comm_idup_with_info(MPI_Comm comm, MPI_Info info, MPI_Comm* made, MPI_Request* request) {
  return made_with_channel_later(comm, made, request, [&] { return PMPI_Comm_idup_with_info(comm, info, made, request); });
}
#endif

int MPI_Comm_split(MPI_Comm comm, int color, int key, MPI_Comm* made) {
  return made_with_channel(made, [&] { return PMPI_Comm_split(comm, color, key, made); });
}

int MPI_Comm_split_type(MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm* made) {
  return made_with_channel(made, [&] { return PMPI_Comm_split_type(comm, type, key, info, made); });
}

int MPI_Comm_create(MPI_Comm comm, MPI_Group group, MPI_Comm* made) {
  return made_with_channel(made, [&] { return PMPI_Comm_create(comm, group, made); });
}

int MPI_Comm_create_group(MPI_Comm comm, MPI_Group group, int tag, MPI_Comm* made) {
  return made_with_channel(made, [&] { return PMPI_Comm_create_group(comm, group, tag, made); });
}

int MPI_Cart_create(MPI_Comm comm, int dimensions, const int extents[], const int periodic[], int reorder, MPI_Comm* made) {
  return made_with_channel(made, [&] { return PMPI_Cart_create(comm, dimensions, extents, periodic, reorder, made); });
}

int MPI_Cart_sub(MPI_Comm comm, const int kept[], MPI_Comm* made) {
  return made_with_channel(made, [&] { return PMPI_Cart_sub(comm, kept, made); });
}

int MPI_Graph_create(MPI_Comm comm, int nodes, const int degrees[], const int edges[], int reorder, MPI_Comm* made) {
  return made_with_channel(made, [&] { return PMPI_Graph_create(comm, nodes, degrees, edges, reorder, made); });
}

int MPI_Dist_graph_create(MPI_Comm comm, int nodes, const int sources[], const int degrees[], const int destinations[], const int weights[],
                          MPI_Info info, int reorder, MPI_Comm* made) {
  return made_with_channel(
      made, [&] { return PMPI_Dist_graph_create(comm, nodes, sources, degrees, destinations, weights, info, reorder, made); });
}

int MPI_Dist_graph_create_adjacent(MPI_Comm comm, int in_degree, const int sources[], const int source_weights[], int out_degree,
                                   const int destinations[], const int destination_weights[], MPI_Info info, int reorder, MPI_Comm* made) {
  return made_with_channel(made, [&] {
    return PMPI_Dist_graph_create_adjacent(comm, in_degree, sources, source_weights, out_degree, destinations, destination_weights, info,
                                           reorder, made);
  });
}

int MPI_Intercomm_merge(MPI_Comm comm, int high, MPI_Comm* made) {
  return made_with_channel(made, [&] { return PMPI_Intercomm_merge(comm, high, made); });
}

#pragma GCC visibility pop
}
