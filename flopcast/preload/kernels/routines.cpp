#include "flopcast/preload/kernels/routines.hpp"

#include <array>
#include <cstddef>

namespace flopcast::interpose::mpi {
namespace {

constexpr std::array<const char*, static_cast<std::size_t>(Routine::count)> names = {"MPI_Send",
                                                                                     "MPI_Ssend",
                                                                                     "MPI_Bsend",
                                                                                     "MPI_Rsend",
                                                                                     "MPI_Isend",
                                                                                     "MPI_Issend",
                                                                                     "MPI_Ibsend",
                                                                                     "MPI_Irsend",
                                                                                     "MPI_Recv",
                                                                                     "MPI_Irecv",
                                                                                     "MPI_Sendrecv",
                                                                                     "MPI_Sendrecv_replace",
                                                                                     "MPI_Isendrecv",
                                                                                     "MPI_Isendrecv_replace",
                                                                                     "MPI_Start",
                                                                                     "MPI_Wait",
                                                                                     "MPI_Barrier",
                                                                                     "MPI_Bcast",
                                                                                     "MPI_Reduce",
                                                                                     "MPI_Allreduce",
                                                                                     "MPI_Gather",
                                                                                     "MPI_Gatherv",
                                                                                     "MPI_Scatter",
                                                                                     "MPI_Scatterv",
                                                                                     "MPI_Allgather",
                                                                                     "MPI_Allgatherv",
                                                                                     "MPI_Alltoall",
                                                                                     "MPI_Alltoallv",
                                                                                     "MPI_Alltoallw",
                                                                                     "MPI_Reduce_scatter",
                                                                                     "MPI_Reduce_scatter_block",
                                                                                     "MPI_Scan",
                                                                                     "MPI_Exscan",
                                                                                     "MPI_Ibarrier",
                                                                                     "MPI_Ibcast",
                                                                                     "MPI_Ireduce",
                                                                                     "MPI_Iallreduce",
                                                                                     "MPI_Igather",
                                                                                     "MPI_Igatherv",
                                                                                     "MPI_Iscatter",
                                                                                     "MPI_Iscatterv",
                                                                                     "MPI_Iallgather",
                                                                                     "MPI_Iallgatherv",
                                                                                     "MPI_Ialltoall",
                                                                                     "MPI_Ialltoallv",
                                                                                     "MPI_Ialltoallw",
                                                                                     "MPI_Ireduce_scatter",
                                                                                     "MPI_Ireduce_scatter_block",
                                                                                     "MPI_Iscan",
                                                                                     "MPI_Iexscan",
                                                                                     "MPI_Comm_idup"};
static_assert(names.back() != nullptr);

}  // namespace

const char* routine_name(Routine routine) noexcept { return names[static_cast<std::size_t>(routine)]; }

}  // namespace flopcast::interpose::mpi
