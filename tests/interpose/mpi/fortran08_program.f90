! The interface of Fortran 2008: handles are types, and the error is optional.
program fortran08_program
  use mpi_f08
  implicit none
  integer, parameter :: n = 500, rounds = 10
  double precision :: a(n), b(n), total
  integer :: rank, ranks, round, count
  type(MPI_Request) :: requests(2)
  type(MPI_Status) :: statuses(2)

  call mpi_init()
  call mpi_comm_rank(MPI_COMM_WORLD, rank)
  call mpi_comm_size(MPI_COMM_WORLD, ranks)
  total = 0
  do round = 1, rounds
    a = rank + round
    call mpi_irecv(b, n, MPI_DOUBLE_PRECISION, modulo(rank - 1, ranks), 1, MPI_COMM_WORLD, requests(1))
    call mpi_isend(a, n, MPI_DOUBLE_PRECISION, modulo(rank + 1, ranks), 1, MPI_COMM_WORLD, requests(2))
    call mpi_waitall(2, requests, statuses)
    call mpi_get_count(statuses(1), MPI_DOUBLE_PRECISION, count)
    call mpi_allreduce(MPI_IN_PLACE, b, n, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD)
    total = total + count + statuses(1)%MPI_SOURCE + sum(b)
  end do
  call mpi_allreduce(MPI_IN_PLACE, total, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD)
  if (rank == 0) print '(a, f16.3)', 'sum ', total
  call mpi_finalize()
end program
