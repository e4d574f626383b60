#pragma once

#include <cstdint>

namespace flopcast::interpose::mpi {

/// Intercepted communication routines. A kernel's key holds the number.
enum class Routine : std::uint32_t {
  send,
  ssend,
  bsend,
  rsend,
  isend,
  issend,
  ibsend,
  irsend,
  recv,
  irecv,
  sendrecv,
  sendrecv_replace,
  isendrecv,
  isendrecv_replace,
  start,
  wait,  // point to point
  barrier,
  bcast,
  reduce,
  allreduce,
  gather,
  gatherv,
  scatter,
  scatterv,
  allgather,
  allgatherv,
  alltoall,
  alltoallv,
  alltoallw,
  reduce_scatter,
  reduce_scatter_block,
  scan,
  exscan,  // collectives
  ibarrier,
  ibcast,
  ireduce,
  iallreduce,
  igather,
  igatherv,
  iscatter,
  iscatterv,
  iallgather,
  iallgatherv,
  ialltoall,
  ialltoallv,
  ialltoallw,
  ireduce_scatter,
  ireduce_scatter_block,
  iscan,
  iexscan,
  comm_idup,  // nonblocking
  count
};

/// Returns a name such as `MPI_Send`.
const char* routine_name(Routine routine) noexcept;

}  // namespace flopcast::interpose::mpi
