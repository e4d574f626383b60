! Uses the interface of Fortran 2008, where handles are types and the error argument is optional.
program fortran08_program
  use mpi_f08
  implicit none
  integer, parameter :: n = 500, rounds = 10
  double precision :: a(n), b(n), total
  integer :: rank, ranks, round, count
  type(MPI_Request) :: requests(2)
  type(MPI_Status) :: statuses(2)
  type(MPI_Comm) :: part, other
  logical :: done

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
  ! calls without a buffer are forwarded differently in MPICH
  call mpi_comm_split(MPI_COMM_WORLD, 0, -rank, part)
  call mpi_irecv(b, n, MPI_DOUBLE_PRECISION, MPI_ANY_SOURCE, 2, part, requests(1))
  call mpi_isend(a, n, MPI_DOUBLE_PRECISION, modulo(ranks - rank, ranks), 2, part, requests(2))
  done = .false.
  do while (.not. done)
    call mpi_test(requests(1), done, MPI_STATUS_IGNORE)
  end do
  call mpi_wait(requests(2), MPI_STATUS_IGNORE)
  call mpi_barrier(part)
  call mpi_comm_idup(part, other, requests(1))
  call mpi_pcontrol(1)
  call mpi_isend(a, n / 2, MPI_DOUBLE_PRECISION, modulo(ranks - rank, ranks), 3, part, requests(2))
  done = .false.
  do while (.not. done)
    call mpi_iprobe(MPI_ANY_SOURCE, 3, part, done, statuses(1))
  end do
  call mpi_probe(statuses(1)%MPI_SOURCE, 3, part, statuses(2))
  call mpi_get_count(statuses(2), MPI_DOUBLE_PRECISION, count)
  call mpi_recv(b, count, MPI_DOUBLE_PRECISION, statuses(2)%MPI_SOURCE, 3, part, MPI_STATUS_IGNORE)
  call mpi_waitall(2, requests, MPI_STATUSES_IGNORE)
  call mpi_allreduce(MPI_IN_PLACE, b, n / 2, MPI_DOUBLE_PRECISION, MPI_SUM, other)
  total = total + count + b(2)
  call mpi_comm_free(other)
  total = total + b(1)
  call mpi_comm_free(part)
  if (rank == 0) print '(a, f16.3)', 'sum ', total
  call mpi_finalize()
end program
