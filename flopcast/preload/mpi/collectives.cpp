#include <mpi.h>

#include <algorithm>
#include <array>

#include "flopcast/preload/mpi/collective.hpp"

namespace flopcast::interpose::mpi {
namespace {

/// Returns whether a nonblocking collective may be left out. All processes must decide alike without communication, so the number of bytes
/// must be the same in each.
bool may_be_left_out(Routine routine, const Collective& collective) {
  constexpr std::array uneven = {Routine::igatherv, Routine::iscatterv, Routine::ialltoallv, Routine::ialltoallw};
  return std::find(uneven.begin(), uneven.end(), routine) == uneven.end() && may_be_skipped(collective.bytes, collective.type);
}

}  // namespace

bool is_left_out(Routine routine, const Collective& collective, Channel& channel) {
  if (!may_be_left_out(routine, collective)) {
    return false;
  }
  Session& all = *session();
  const std::uint32_t kernel = all.communication_kernel(routine, collective.bytes, channel.size(), channel.stride());
  const std::uint64_t kind = path::KernelKeyHash()(all.kernels()[kernel].key);
  channel.votes().vote(kind, all.wants_execution(kernel));
  return !channel.votes().executes(kind);
}

}  // namespace flopcast::interpose::mpi

using namespace flopcast::interpose::mpi;

extern "C" {

#pragma GCC visibility push(default)

int MPI_Barrier(MPI_Comm comm) {
  return executed(Routine::barrier, comm, barrier(), [&] { return PMPI_Barrier(comm); });
}

int MPI_Bcast(void* buffer, int count, MPI_Datatype type, int root, MPI_Comm comm) {
  return executed(Routine::bcast, comm, bcast(buffer, count, type, root), [&] { return PMPI_Bcast(buffer, count, type, root, comm); });
}

int MPI_Reduce(const void* in, void* out, int count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm) {
  return executed(Routine::reduce, comm, reduce(out, count, type, root), [&] { return PMPI_Reduce(in, out, count, type, op, root, comm); });
}

int MPI_Allreduce(const void* in, void* out, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  return executed(Routine::allreduce, comm, allreduce(out, count, type), [&] { return PMPI_Allreduce(in, out, count, type, op, comm); });
}

int MPI_Scan(const void* in, void* out, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  return executed(Routine::scan, comm, scan(out, count, type), [&] { return PMPI_Scan(in, out, count, type, op, comm); });
}

int MPI_Exscan(const void* in, void* out, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  return executed(Routine::exscan, comm, scan(out, count, type), [&] { return PMPI_Exscan(in, out, count, type, op, comm); });
}

int MPI_Gather(const void* in, int sent, MPI_Datatype in_type, void* out, int received, MPI_Datatype out_type, int root, MPI_Comm comm) {
  return executed(Routine::gather, comm, gather(in, sent, in_type, out, received, out_type, root),
                  [&] { return PMPI_Gather(in, sent, in_type, out, received, out_type, root, comm); });
}

int MPI_Gatherv(const void* in, int sent, MPI_Datatype in_type, void* out, const int received[], const int places[], MPI_Datatype out_type,
                int root, MPI_Comm comm) {
  return executed(Routine::gatherv, comm, gatherv(in, sent, in_type, out, received, places, out_type, root),
                  [&] { return PMPI_Gatherv(in, sent, in_type, out, received, places, out_type, root, comm); });
}

int MPI_Scatter(const void* in, int sent, MPI_Datatype in_type, void* out, int received, MPI_Datatype out_type, int root, MPI_Comm comm) {
  return executed(Routine::scatter, comm, scatter(sent, in_type, out, received, out_type),
                  [&] { return PMPI_Scatter(in, sent, in_type, out, received, out_type, root, comm); });
}

int MPI_Scatterv(const void* in, const int sent[], const int places[], MPI_Datatype in_type, void* out, int received, MPI_Datatype out_type,
                 int root, MPI_Comm comm) {
  return executed(Routine::scatterv, comm, scatterv(sent, in_type, out, received, out_type),
                  [&] { return PMPI_Scatterv(in, sent, places, in_type, out, received, out_type, root, comm); });
}

int MPI_Allgather(const void* in, int sent, MPI_Datatype in_type, void* out, int received, MPI_Datatype out_type, MPI_Comm comm) {
  return executed(Routine::allgather, comm, allgather(out, received, out_type),
                  [&] { return PMPI_Allgather(in, sent, in_type, out, received, out_type, comm); });
}

int MPI_Allgatherv(const void* in, int sent, MPI_Datatype in_type, void* out, const int received[], const int places[],
                   MPI_Datatype out_type, MPI_Comm comm) {
  return executed(Routine::allgatherv, comm, allgatherv(out, received, places, out_type),
                  [&] { return PMPI_Allgatherv(in, sent, in_type, out, received, places, out_type, comm); });
}

int MPI_Alltoall(const void* in, int sent, MPI_Datatype in_type, void* out, int received, MPI_Datatype out_type, MPI_Comm comm) {
  return executed(Routine::alltoall, comm, alltoall(out, received, out_type),
                  [&] { return PMPI_Alltoall(in, sent, in_type, out, received, out_type, comm); });
}

int MPI_Alltoallv(const void* in, const int sent[], const int in_places[], MPI_Datatype in_type, void* out, const int received[],
                  const int out_places[], MPI_Datatype out_type, MPI_Comm comm) {
  return executed(Routine::alltoallv, comm, alltoallv(out, received, out_places, out_type),
                  [&] { return PMPI_Alltoallv(in, sent, in_places, in_type, out, received, out_places, out_type, comm); });
}

int MPI_Alltoallw(const void* in, const int sent[], const int in_places[], const MPI_Datatype in_types[], void* out, const int received[],
                  const int out_places[], const MPI_Datatype out_types[], MPI_Comm comm) {
  return executed(Routine::alltoallw, comm, alltoallw(received, out_types),
                  [&] { return PMPI_Alltoallw(in, sent, in_places, in_types, out, received, out_places, out_types, comm); });
}

int MPI_Reduce_scatter(const void* in, void* out, const int counts[], MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  return executed(Routine::reduce_scatter, comm, reduce_scatter(out, counts, type),
                  [&] { return PMPI_Reduce_scatter(in, out, counts, type, op, comm); });
}

int MPI_Reduce_scatter_block(const void* in, void* out, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  return executed(Routine::reduce_scatter_block, comm, reduce_scatter_block(out, count, type),
                  [&] { return PMPI_Reduce_scatter_block(in, out, count, type, op, comm); });
}

int MPI_Ibarrier(MPI_Comm comm, MPI_Request* request) {
  return begun(Routine::ibarrier, comm, request, barrier(), [&] { return PMPI_Ibarrier(comm, request); });
}

int MPI_Ibcast(void* buffer, int count, MPI_Datatype type, int root, MPI_Comm comm, MPI_Request* request) {
  return begun(Routine::ibcast, comm, request, bcast(buffer, count, type, root),
               [&] { return PMPI_Ibcast(buffer, count, type, root, comm, request); });
}

int MPI_Ireduce(const void* in, void* out, int count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm, MPI_Request* request) {
  return begun(Routine::ireduce, comm, request, reduce(out, count, type, root),
               [&] { return PMPI_Ireduce(in, out, count, type, op, root, comm, request); });
}

int MPI_Iallreduce(const void* in, void* out, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm, MPI_Request* request) {
  return begun(Routine::iallreduce, comm, request, allreduce(out, count, type),
               [&] { return PMPI_Iallreduce(in, out, count, type, op, comm, request); });
}

int MPI_Iscan(const void* in, void* out, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm, MPI_Request* request) {
  return begun(Routine::iscan, comm, request, scan(out, count, type), [&] { return PMPI_Iscan(in, out, count, type, op, comm, request); });
}

int MPI_Iexscan(const void* in, void* out, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm, MPI_Request* request) {
  return begun(Routine::iexscan, comm, request, scan(out, count, type),
               [&] { return PMPI_Iexscan(in, out, count, type, op, comm, request); });
}

int MPI_Igather(const void* in, int sent, MPI_Datatype in_type, void* out, int received, MPI_Datatype out_type, int root, MPI_Comm comm,
                MPI_Request* request) {
  return begun(Routine::igather, comm, request, gather(in, sent, in_type, out, received, out_type, root),
               [&] { return PMPI_Igather(in, sent, in_type, out, received, out_type, root, comm, request); });
}

int MPI_Igatherv(const void* in, int sent, MPI_Datatype in_type, void* out, const int received[], const int places[], MPI_Datatype out_type,
                 int root, MPI_Comm comm, MPI_Request* request) {
  return begun(Routine::igatherv, comm, request, gatherv(in, sent, in_type, out, received, places, out_type, root),
               [&] { return PMPI_Igatherv(in, sent, in_type, out, received, places, out_type, root, comm, request); });
}

int MPI_Iscatter(const void* in, int sent, MPI_Datatype in_type, void* out, int received, MPI_Datatype out_type, int root, MPI_Comm comm,
                 MPI_Request* request) {
  return begun(Routine::iscatter, comm, request, scatter(sent, in_type, out, received, out_type),
               [&] { return PMPI_Iscatter(in, sent, in_type, out, received, out_type, root, comm, request); });
}

int MPI_Iscatterv(const void* in, const int sent[], const int places[], MPI_Datatype in_type, void* out, int received,
                  MPI_Datatype out_type, int root, MPI_Comm comm, MPI_Request* request) {
  return begun(Routine::iscatterv, comm, request, scatterv(sent, in_type, out, received, out_type),
               [&] { return PMPI_Iscatterv(in, sent, places, in_type, out, received, out_type, root, comm, request); });
}

int MPI_Iallgather(const void* in, int sent, MPI_Datatype in_type, void* out, int received, MPI_Datatype out_type, MPI_Comm comm,
                   MPI_Request* request) {
  return begun(Routine::iallgather, comm, request, allgather(out, received, out_type),
               [&] { return PMPI_Iallgather(in, sent, in_type, out, received, out_type, comm, request); });
}

int MPI_Iallgatherv(const void* in, int sent, MPI_Datatype in_type, void* out, const int received[], const int places[],
                    MPI_Datatype out_type, MPI_Comm comm, MPI_Request* request) {
  return begun(Routine::iallgatherv, comm, request, allgatherv(out, received, places, out_type),
               [&] { return PMPI_Iallgatherv(in, sent, in_type, out, received, places, out_type, comm, request); });
}

int MPI_Ialltoall(const void* in, int sent, MPI_Datatype in_type, void* out, int received, MPI_Datatype out_type, MPI_Comm comm,
                  MPI_Request* request) {
  return begun(Routine::ialltoall, comm, request, alltoall(out, received, out_type),
               [&] { return PMPI_Ialltoall(in, sent, in_type, out, received, out_type, comm, request); });
}

int MPI_Ialltoallv(const void* in, const int sent[], const int in_places[], MPI_Datatype in_type, void* out, const int received[],
                   const int out_places[], MPI_Datatype out_type, MPI_Comm comm, MPI_Request* request) {
  return begun(Routine::ialltoallv, comm, request, alltoallv(out, received, out_places, out_type),
               [&] { return PMPI_Ialltoallv(in, sent, in_places, in_type, out, received, out_places, out_type, comm, request); });
}

int MPI_Ialltoallw(const void* in, const int sent[], const int in_places[], const MPI_Datatype in_types[], void* out, const int received[],
                   const int out_places[], const MPI_Datatype out_types[], MPI_Comm comm, MPI_Request* request) {
  return begun(Routine::ialltoallw, comm, request, alltoallw(received, out_types),
               [&] { return PMPI_Ialltoallw(in, sent, in_places, in_types, out, received, out_places, out_types, comm, request); });
}

int MPI_Ireduce_scatter(const void* in, void* out, const int counts[], MPI_Datatype type, MPI_Op op, MPI_Comm comm, MPI_Request* request) {
  return begun(Routine::ireduce_scatter, comm, request, reduce_scatter(out, counts, type),
               [&] { return PMPI_Ireduce_scatter(in, out, counts, type, op, comm, request); });
}

int MPI_Ireduce_scatter_block(const void* in, void* out, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm, MPI_Request* request) {
  return begun(Routine::ireduce_scatter_block, comm, request, reduce_scatter_block(out, count, type),
               [&] { return PMPI_Ireduce_scatter_block(in, out, count, type, op, comm, request); });
}

#pragma GCC visibility pop
}
