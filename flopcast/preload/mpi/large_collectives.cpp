#include <mpi.h>

#include "flopcast/preload/mpi/collective.hpp"

/// MPI-4's collectives with large counts. Reductions can't work on elements made of many, so that each is executed with its own large
/// count.
#if MPI_VERSION >= 4

using namespace flopcast::interpose::mpi;

extern "C" {

#pragma GCC visibility push(default)

int MPI_Bcast_c(void* buffer, MPI_Count count, MPI_Datatype type, int root, MPI_Comm comm) {
  return executed(Routine::bcast, comm, bcast(buffer, count, type, root), [&] { return PMPI_Bcast_c(buffer, count, type, root, comm); });
}

int MPI_Reduce_c(const void* in, void* out, MPI_Count count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm) {
  return executed(Routine::reduce, comm, reduce(out, count, type, root),
                  [&] { return PMPI_Reduce_c(in, out, count, type, op, root, comm); });
}

int MPI_Allreduce_c(const void* in, void* out, MPI_Count count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  return executed(Routine::allreduce, comm, allreduce(out, count, type), [&] { return PMPI_Allreduce_c(in, out, count, type, op, comm); });
}

int MPI_Scan_c(const void* in, void* out, MPI_Count count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  return executed(Routine::scan, comm, scan(out, count, type), [&] { return PMPI_Scan_c(in, out, count, type, op, comm); });
}

int MPI_Exscan_c(const void* in, void* out, MPI_Count count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  return executed(Routine::exscan, comm, scan(out, count, type), [&] { return PMPI_Exscan_c(in, out, count, type, op, comm); });
}

int MPI_Gather_c(const void* in, MPI_Count sent, MPI_Datatype in_type, void* out, MPI_Count received, MPI_Datatype out_type, int root,
                 MPI_Comm comm) {
  return executed(Routine::gather, comm, gather(in, sent, in_type, out, received, out_type, root),
                  [&] { return PMPI_Gather_c(in, sent, in_type, out, received, out_type, root, comm); });
}

int MPI_Gatherv_c(const void* in, MPI_Count sent, MPI_Datatype in_type, void* out, const MPI_Count received[], const MPI_Aint places[],
                  MPI_Datatype out_type, int root, MPI_Comm comm) {
  return executed(Routine::gatherv, comm, gatherv(in, sent, in_type, out, received, places, out_type, root),
                  [&] { return PMPI_Gatherv_c(in, sent, in_type, out, received, places, out_type, root, comm); });
}

int MPI_Scatter_c(const void* in, MPI_Count sent, MPI_Datatype in_type, void* out, MPI_Count received, MPI_Datatype out_type, int root,
                  MPI_Comm comm) {
  return executed(Routine::scatter, comm, scatter(sent, in_type, out, received, out_type),
                  [&] { return PMPI_Scatter_c(in, sent, in_type, out, received, out_type, root, comm); });
}

int MPI_Scatterv_c(const void* in, const MPI_Count sent[], const MPI_Aint places[], MPI_Datatype in_type, void* out, MPI_Count received,
                   MPI_Datatype out_type, int root, MPI_Comm comm) {
  return executed(Routine::scatterv, comm, scatterv(sent, in_type, out, received, out_type),
                  [&] { return PMPI_Scatterv_c(in, sent, places, in_type, out, received, out_type, root, comm); });
}

int MPI_Allgather_c(const void* in, MPI_Count sent, MPI_Datatype in_type, void* out, MPI_Count received, MPI_Datatype out_type,
                    MPI_Comm comm) {
  return executed(Routine::allgather, comm, allgather(out, received, out_type),
                  [&] { return PMPI_Allgather_c(in, sent, in_type, out, received, out_type, comm); });
}

int MPI_Allgatherv_c(const void* in, MPI_Count sent, MPI_Datatype in_type, void* out, const MPI_Count received[], const MPI_Aint places[],
                     MPI_Datatype out_type, MPI_Comm comm) {
  return executed(Routine::allgatherv, comm, allgatherv(out, received, places, out_type),
                  [&] { return PMPI_Allgatherv_c(in, sent, in_type, out, received, places, out_type, comm); });
}

int MPI_Alltoall_c(const void* in, MPI_Count sent, MPI_Datatype in_type, void* out, MPI_Count received, MPI_Datatype out_type,
                   MPI_Comm comm) {
  return executed(Routine::alltoall, comm, alltoall(out, received, out_type),
                  [&] { return PMPI_Alltoall_c(in, sent, in_type, out, received, out_type, comm); });
}

int MPI_Alltoallv_c(const void* in, const MPI_Count sent[], const MPI_Aint in_places[], MPI_Datatype in_type, void* out,
                    const MPI_Count received[], const MPI_Aint out_places[], MPI_Datatype out_type, MPI_Comm comm) {
  return executed(Routine::alltoallv, comm, alltoallv(out, received, out_places, out_type),
                  [&] { return PMPI_Alltoallv_c(in, sent, in_places, in_type, out, received, out_places, out_type, comm); });
}

int MPI_Alltoallw_c(const void* in, const MPI_Count sent[], const MPI_Aint in_places[], const MPI_Datatype in_types[], void* out,
                    const MPI_Count received[], const MPI_Aint out_places[], const MPI_Datatype out_types[], MPI_Comm comm) {
  return executed(Routine::alltoallw, comm, alltoallw(received, out_types),
                  [&] { return PMPI_Alltoallw_c(in, sent, in_places, in_types, out, received, out_places, out_types, comm); });
}

int MPI_Reduce_scatter_c(const void* in, void* out, const MPI_Count counts[], MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  return executed(Routine::reduce_scatter, comm, reduce_scatter(out, counts, type),
                  [&] { return PMPI_Reduce_scatter_c(in, out, counts, type, op, comm); });
}

int MPI_Reduce_scatter_block_c(const void* in, void* out, MPI_Count count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  return executed(Routine::reduce_scatter_block, comm, reduce_scatter_block(out, count, type),
                  [&] { return PMPI_Reduce_scatter_block_c(in, out, count, type, op, comm); });
}

int MPI_Ibcast_c(void* buffer, MPI_Count count, MPI_Datatype type, int root, MPI_Comm comm, MPI_Request* request) {
  return begun(Routine::ibcast, comm, request, bcast(buffer, count, type, root),
               [&] { return PMPI_Ibcast_c(buffer, count, type, root, comm, request); });
}

int MPI_Ireduce_c(const void* in, void* out, MPI_Count count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm, MPI_Request* request) {
  return begun(Routine::ireduce, comm, request, reduce(out, count, type, root),
               [&] { return PMPI_Ireduce_c(in, out, count, type, op, root, comm, request); });
}

int MPI_Iallreduce_c(const void* in, void* out, MPI_Count count, MPI_Datatype type, MPI_Op op, MPI_Comm comm, MPI_Request* request) {
  return begun(Routine::iallreduce, comm, request, allreduce(out, count, type),
               [&] { return PMPI_Iallreduce_c(in, out, count, type, op, comm, request); });
}

int MPI_Iscan_c(const void* in, void* out, MPI_Count count, MPI_Datatype type, MPI_Op op, MPI_Comm comm, MPI_Request* request) {
  return begun(Routine::iscan, comm, request, scan(out, count, type),
               [&] { return PMPI_Iscan_c(in, out, count, type, op, comm, request); });
}

int MPI_Iexscan_c(const void* in, void* out, MPI_Count count, MPI_Datatype type, MPI_Op op, MPI_Comm comm, MPI_Request* request) {
  return begun(Routine::iexscan, comm, request, scan(out, count, type),
               [&] { return PMPI_Iexscan_c(in, out, count, type, op, comm, request); });
}

int MPI_Igather_c(const void* in, MPI_Count sent, MPI_Datatype in_type, void* out, MPI_Count received, MPI_Datatype out_type, int root,
                  MPI_Comm comm, MPI_Request* request) {
  return begun(Routine::igather, comm, request, gather(in, sent, in_type, out, received, out_type, root),
               [&] { return PMPI_Igather_c(in, sent, in_type, out, received, out_type, root, comm, request); });
}

int MPI_Igatherv_c(const void* in, MPI_Count sent, MPI_Datatype in_type, void* out, const MPI_Count received[], const MPI_Aint places[],
                   MPI_Datatype out_type, int root, MPI_Comm comm, MPI_Request* request) {
  return begun(Routine::igatherv, comm, request, gatherv(in, sent, in_type, out, received, places, out_type, root),
               [&] { return PMPI_Igatherv_c(in, sent, in_type, out, received, places, out_type, root, comm, request); });
}

int MPI_Iscatter_c(const void* in, MPI_Count sent, MPI_Datatype in_type, void* out, MPI_Count received, MPI_Datatype out_type, int root,
                   MPI_Comm comm, MPI_Request* request) {
  return begun(Routine::iscatter, comm, request, scatter(sent, in_type, out, received, out_type),
               [&] { return PMPI_Iscatter_c(in, sent, in_type, out, received, out_type, root, comm, request); });
}

int MPI_Iscatterv_c(const void* in, const MPI_Count sent[], const MPI_Aint places[], MPI_Datatype in_type, void* out, MPI_Count received,
                    MPI_Datatype out_type, int root, MPI_Comm comm, MPI_Request* request) {
  return begun(Routine::iscatterv, comm, request, scatterv(sent, in_type, out, received, out_type),
               [&] { return PMPI_Iscatterv_c(in, sent, places, in_type, out, received, out_type, root, comm, request); });
}

int MPI_Iallgather_c(const void* in, MPI_Count sent, MPI_Datatype in_type, void* out, MPI_Count received, MPI_Datatype out_type,
                     MPI_Comm comm, MPI_Request* request) {
  return begun(Routine::iallgather, comm, request, allgather(out, received, out_type),
               [&] { return PMPI_Iallgather_c(in, sent, in_type, out, received, out_type, comm, request); });
}

int MPI_Iallgatherv_c(const void* in, MPI_Count sent, MPI_Datatype in_type, void* out, const MPI_Count received[], const MPI_Aint places[],
                      MPI_Datatype out_type, MPI_Comm comm, MPI_Request* request) {
  return begun(Routine::iallgatherv, comm, request, allgatherv(out, received, places, out_type),
               [&] { return PMPI_Iallgatherv_c(in, sent, in_type, out, received, places, out_type, comm, request); });
}

int MPI_Ialltoall_c(const void* in, MPI_Count sent, MPI_Datatype in_type, void* out, MPI_Count received, MPI_Datatype out_type,
                    MPI_Comm comm, MPI_Request* request) {
  return begun(Routine::ialltoall, comm, request, alltoall(out, received, out_type),
               [&] { return PMPI_Ialltoall_c(in, sent, in_type, out, received, out_type, comm, request); });
}

int MPI_Ialltoallv_c(const void* in, const MPI_Count sent[], const MPI_Aint in_places[], MPI_Datatype in_type, void* out,
                     const MPI_Count received[], const MPI_Aint out_places[], MPI_Datatype out_type, MPI_Comm comm, MPI_Request* request) {
  return begun(Routine::ialltoallv, comm, request, alltoallv(out, received, out_places, out_type),
               [&] { return PMPI_Ialltoallv_c(in, sent, in_places, in_type, out, received, out_places, out_type, comm, request); });
}

int MPI_Ialltoallw_c(const void* in, const MPI_Count sent[], const MPI_Aint in_places[], const MPI_Datatype in_types[], void* out,
                     const MPI_Count received[], const MPI_Aint out_places[], const MPI_Datatype out_types[], MPI_Comm comm,
                     MPI_Request* request) {
  return begun(Routine::ialltoallw, comm, request, alltoallw(received, out_types),
               [&] { return PMPI_Ialltoallw_c(in, sent, in_places, in_types, out, received, out_places, out_types, comm, request); });
}

int MPI_Ireduce_scatter_c(const void* in, void* out, const MPI_Count counts[], MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                          MPI_Request* request) {
  return begun(Routine::ireduce_scatter, comm, request, reduce_scatter(out, counts, type),
               [&] { return PMPI_Ireduce_scatter_c(in, out, counts, type, op, comm, request); });
}

int MPI_Ireduce_scatter_block_c(const void* in, void* out, MPI_Count count, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                                MPI_Request* request) {
  return begun(Routine::ireduce_scatter_block, comm, request, reduce_scatter_block(out, count, type),
               [&] { return PMPI_Ireduce_scatter_block_c(in, out, count, type, op, comm, request); });
}

#pragma GCC visibility pop
}
#endif
