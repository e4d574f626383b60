#include <numeric>

#include "flopcast/preload/smpi/requests.hpp"

namespace flopcast::preload::smpi {
namespace {

using mpi::Routine;

/// The processes for which a process waits in a collective.
enum class Needs { everybody, root, root_needs_everybody };

constexpr int no_root = -1;

/// Returns the arrivals for which `group`'s process waited, if any. Processes that forward data between it and the root are counted as part
/// of the network.
std::vector<Arrival> needed(const Collective& collective, const Group& group, Needs needs, int root) {
  const auto waits_for = [&](int rank) {
    return rank != group.rank && (needs == Needs::everybody || (needs == Needs::root ? rank == root : group.rank == root));
  };
  const Arrival* last = last_arrival(collective, now(), waits_for);
  return last != nullptr ? std::vector<Arrival>{*last} : std::vector<Arrival>();
}

template <class Call>
int collective(Routine routine, std::int64_t bytes, MPI_Comm comm, Needs needs, int root, Call call) {
  const InterceptGuard inside;
  const std::shared_ptr<const Group> group = inside ? inside.process().group(comm) : nullptr;
  if (group == nullptr) {
    return call();
  }
  Process& process = inside.process();
  Collectives& all = simulation()->collectives();
  const Collectives::Key key(group->id, process.next_collective(*group));
  all.arrive(key, group->rank, arrival_of(process));
  const int result = call();
  const std::vector<Arrival> others = needed(all.at(key), *group, needs, root);
  all.leave(key, group->size());
  simulation()->communicated(process, simulation()->communication_kernel(routine, bytes, *group), inside.entered(), others,
                             static_cast<double>(bytes));
  return result;
}

template <class Call>
int collective(Routine routine, std::int64_t bytes, MPI_Comm comm, Call call) {
  return collective(routine, bytes, comm, Needs::everybody, no_root, call);
}

/// Begins a nonblocking collective, which is complete, as far as paths go, when all processes have begun it.
template <class Call>
int begin_collective(Routine routine, std::int64_t bytes, MPI_Comm comm, MPI_Request* request, Call call) {
  const InterceptGuard inside;
  const std::shared_ptr<const Group> group = inside ? inside.process().group(comm) : nullptr;
  if (group == nullptr) {
    return call();
  }
  Process& process = inside.process();
  Pending pending;
  pending.group = group;
  pending.bytes = bytes;
  pending.is_collective = true;
  pending.collective = {group->id, process.next_collective(*group)};
  simulation()->collectives().arrive(pending.collective, group->rank, arrival_of(process));
  const int result = call();
  remember(process, *request, std::move(pending));
  simulation()->communicated(process, simulation()->communication_kernel(routine, bytes, *group), inside.entered(), {},
                             static_cast<double>(bytes));
  return result;
}

/// Returns the bytes of all parts of a collective with a count for each process.
std::int64_t total(const int* counts, MPI_Comm comm, MPI_Datatype type) {
  int size = 0;
  PMPI_Comm_size(comm, &size);
  return counts == nullptr ? 0 : bytes_of(std::accumulate(counts, counts + size, 0), type);
}

bool is_root(int root, MPI_Comm comm) {
  int rank = 0;
  PMPI_Comm_rank(comm, &rank);
  return rank == root;
}

/// Makes a communicator, which waits for all processes and moves hardly any data. On the path it is a barrier.
template <class Call>
int make_communicator(MPI_Comm comm, Call call) {
  return collective(Routine::barrier, 0, comm, call);
}

}  // namespace
}  // namespace flopcast::preload::smpi

using namespace flopcast::preload::smpi;
using flopcast::preload::mpi::Routine;

extern "C" {

#pragma GCC visibility push(default)

int MPI_Barrier(MPI_Comm comm) {
  return collective(Routine::barrier, 0, comm, [&] { return PMPI_Barrier(comm); });
}

int MPI_Bcast(void* buffer, int count, MPI_Datatype type, int root, MPI_Comm comm) {
  return collective(Routine::bcast, bytes_of(count, type), comm, Needs::root, root,
                    [&] { return PMPI_Bcast(buffer, count, type, root, comm); });
}

int MPI_Reduce(const void* sent, void* received, int count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm) {
  return collective(Routine::reduce, bytes_of(count, type), comm, Needs::root_needs_everybody, root,
                    [&] { return PMPI_Reduce(sent, received, count, type, op, root, comm); });
}

int MPI_Allreduce(const void* sent, void* received, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  return collective(Routine::allreduce, bytes_of(count, type), comm, [&] { return PMPI_Allreduce(sent, received, count, type, op, comm); });
}

int MPI_Gather(const void* sent, int send_count, MPI_Datatype send_type, void* received, int receive_count, MPI_Datatype receive_type,
               int root, MPI_Comm comm) {
  const std::int64_t bytes = is_root(root, comm) ? bytes_of(receive_count, receive_type) : bytes_of(send_count, send_type);
  return collective(Routine::gather, bytes, comm, Needs::root_needs_everybody, root,
                    [&] { return PMPI_Gather(sent, send_count, send_type, received, receive_count, receive_type, root, comm); });
}

int MPI_Gatherv(const void* sent, int send_count, MPI_Datatype send_type, void* received, const int* receive_counts,
                const int* displacements, MPI_Datatype receive_type, int root, MPI_Comm comm) {
  const std::int64_t bytes = is_root(root, comm) ? total(receive_counts, comm, receive_type) : bytes_of(send_count, send_type);
  return collective(Routine::gatherv, bytes, comm, Needs::root_needs_everybody, root, [&] {
    return PMPI_Gatherv(sent, send_count, send_type, received, receive_counts, displacements, receive_type, root, comm);
  });
}

int MPI_Scatter(const void* sent, int send_count, MPI_Datatype send_type, void* received, int receive_count, MPI_Datatype receive_type,
                int root, MPI_Comm comm) {
  const std::int64_t bytes = is_root(root, comm) ? bytes_of(send_count, send_type) : bytes_of(receive_count, receive_type);
  return collective(Routine::scatter, bytes, comm, Needs::root, root,
                    [&] { return PMPI_Scatter(sent, send_count, send_type, received, receive_count, receive_type, root, comm); });
}

int MPI_Scatterv(const void* sent, const int* send_counts, const int* displacements, MPI_Datatype send_type, void* received,
                 int receive_count, MPI_Datatype receive_type, int root, MPI_Comm comm) {
  const std::int64_t bytes = is_root(root, comm) ? total(send_counts, comm, send_type) : bytes_of(receive_count, receive_type);
  return collective(Routine::scatterv, bytes, comm, Needs::root, root, [&] {
    return PMPI_Scatterv(sent, send_counts, displacements, send_type, received, receive_count, receive_type, root, comm);
  });
}

int MPI_Allgather(const void* sent, int send_count, MPI_Datatype send_type, void* received, int receive_count, MPI_Datatype receive_type,
                  MPI_Comm comm) {
  return collective(Routine::allgather, bytes_of(receive_count, receive_type), comm,
                    [&] { return PMPI_Allgather(sent, send_count, send_type, received, receive_count, receive_type, comm); });
}

int MPI_Allgatherv(const void* sent, int send_count, MPI_Datatype send_type, void* received, const int* receive_counts,
                   const int* displacements, MPI_Datatype receive_type, MPI_Comm comm) {
  return collective(Routine::allgatherv, total(receive_counts, comm, receive_type), comm, [&] {
    return PMPI_Allgatherv(sent, send_count, send_type, received, receive_counts, displacements, receive_type, comm);
  });
}

int MPI_Alltoall(const void* sent, int send_count, MPI_Datatype send_type, void* received, int receive_count, MPI_Datatype receive_type,
                 MPI_Comm comm) {
  return collective(Routine::alltoall, bytes_of(receive_count, receive_type), comm,
                    [&] { return PMPI_Alltoall(sent, send_count, send_type, received, receive_count, receive_type, comm); });
}

int MPI_Alltoallv(const void* sent, const int* send_counts, const int* send_displacements, MPI_Datatype send_type, void* received,
                  const int* receive_counts, const int* receive_displacements, MPI_Datatype receive_type, MPI_Comm comm) {
  return collective(Routine::alltoallv, total(receive_counts, comm, receive_type), comm, [&] {
    return PMPI_Alltoallv(sent, send_counts, send_displacements, send_type, received, receive_counts, receive_displacements, receive_type,
                          comm);
  });
}

int MPI_Alltoallw(const void* sent, const int* send_counts, const int* send_displacements, const MPI_Datatype* send_types, void* received,
                  const int* receive_counts, const int* receive_displacements, const MPI_Datatype* receive_types, MPI_Comm comm) {
  return collective(Routine::alltoallw, 0, comm, [&] {
    return PMPI_Alltoallw(sent, send_counts, send_displacements, send_types, received, receive_counts, receive_displacements, receive_types,
                          comm);
  });
}

int MPI_Reduce_scatter(const void* sent, void* received, const int* counts, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  return collective(Routine::reduce_scatter, total(counts, comm, type), comm,
                    [&] { return PMPI_Reduce_scatter(sent, received, counts, type, op, comm); });
}

int MPI_Reduce_scatter_block(const void* sent, void* received, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  return collective(Routine::reduce_scatter_block, bytes_of(count, type), comm,
                    [&] { return PMPI_Reduce_scatter_block(sent, received, count, type, op, comm); });
}

int MPI_Scan(const void* sent, void* received, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  return collective(Routine::scan, bytes_of(count, type), comm, [&] { return PMPI_Scan(sent, received, count, type, op, comm); });
}

int MPI_Exscan(const void* sent, void* received, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  return collective(Routine::exscan, bytes_of(count, type), comm, [&] { return PMPI_Exscan(sent, received, count, type, op, comm); });
}

int MPI_Ibarrier(MPI_Comm comm, MPI_Request* request) {
  return begin_collective(Routine::ibarrier, 0, comm, request, [&] { return PMPI_Ibarrier(comm, request); });
}

int MPI_Ibcast(void* buffer, int count, MPI_Datatype type, int root, MPI_Comm comm, MPI_Request* request) {
  return begin_collective(Routine::ibcast, bytes_of(count, type), comm, request,
                          [&] { return PMPI_Ibcast(buffer, count, type, root, comm, request); });
}

int MPI_Ireduce(const void* sent, void* received, int count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm, MPI_Request* request) {
  return begin_collective(Routine::ireduce, bytes_of(count, type), comm, request,
                          [&] { return PMPI_Ireduce(sent, received, count, type, op, root, comm, request); });
}

int MPI_Iallreduce(const void* sent, void* received, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm, MPI_Request* request) {
  return begin_collective(Routine::iallreduce, bytes_of(count, type), comm, request,
                          [&] { return PMPI_Iallreduce(sent, received, count, type, op, comm, request); });
}

int MPI_Iallgather(const void* sent, int send_count, MPI_Datatype send_type, void* received, int receive_count, MPI_Datatype receive_type,
                   MPI_Comm comm, MPI_Request* request) {
  return begin_collective(Routine::iallgather, bytes_of(receive_count, receive_type), comm, request, [&] {
    return PMPI_Iallgather(sent, send_count, send_type, received, receive_count, receive_type, comm, request);
  });
}

int MPI_Ialltoall(const void* sent, int send_count, MPI_Datatype send_type, void* received, int receive_count, MPI_Datatype receive_type,
                  MPI_Comm comm, MPI_Request* request) {
  return begin_collective(Routine::ialltoall, bytes_of(receive_count, receive_type), comm, request, [&] {
    return PMPI_Ialltoall(sent, send_count, send_type, received, receive_count, receive_type, comm, request);
  });
}

int MPI_Comm_dup(MPI_Comm comm, MPI_Comm* made) {
  return make_communicator(comm, [&] { return PMPI_Comm_dup(comm, made); });
}

int MPI_Comm_split(MPI_Comm comm, int color, int key, MPI_Comm* made) {
  return make_communicator(comm, [&] { return PMPI_Comm_split(comm, color, key, made); });
}

int MPI_Comm_create(MPI_Comm comm, MPI_Group group, MPI_Comm* made) {
  return make_communicator(comm, [&] { return PMPI_Comm_create(comm, group, made); });
}

int MPI_Cart_create(MPI_Comm comm, int dimensions, const int* extents, const int* periods, int reorder, MPI_Comm* made) {
  return make_communicator(comm, [&] { return PMPI_Cart_create(comm, dimensions, extents, periods, reorder, made); });
}

int MPI_Comm_free(MPI_Comm* comm) {
  if (Process* process = simulation() != nullptr ? simulation()->current() : nullptr) {
    process->forget(*comm);
  }
  return PMPI_Comm_free(comm);
}

#pragma GCC visibility pop
}
