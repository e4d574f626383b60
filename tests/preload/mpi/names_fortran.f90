! Calls MPI under the names that the compiler's options make, and MPI_Alltoallw between two groups of 1 + 2 processes.
program names
  use mpi
  implicit none
  integer :: error, rank, half, across, others, i, sum
  integer, allocatable :: types(:), counts(:), places(:), sent(:), received(:)
  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  call MPI_Allreduce(rank, sum, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, error)
  call MPI_Comm_split(MPI_COMM_WORLD, min(rank, 1), rank, half, error)
  call MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - min(rank, 1), 17, across, error)
  call MPI_Comm_remote_size(across, others, error)
  allocate(types(others), counts(others), places(others), sent(others), received(others))
  types = MPI_INTEGER
  counts = 1
  places = [(4 * (i - 1), i = 1, others)]
  sent = [(100 * rank + i, i = 1, others)]
  call MPI_Alltoallw(sent, counts, places, types, received, counts, places, types, across, error)
  print *, rank, sum, received
  call MPI_Finalize(error)
end program
