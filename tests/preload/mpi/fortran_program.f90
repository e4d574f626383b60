! A Fortran MPI program with each kind of argument: handles alone and in arrays, statuses used and ignored, in place, indices, logicals. It
! prints a sum over all received data, which must not depend on a library preloaded before MPI.
program fortran_program
  use mpi
  implicit none
  integer, parameter :: n = 500, rounds = 10
  double precision :: a(n), b(n), c(n, 2), total
  integer :: rank, ranks, ierror, round, to, from, comm, grid, row, other, index, done, count
  integer :: requests(3), statuses(MPI_STATUS_SIZE, 3), status(MPI_STATUS_SIZE), indices(3), request, message
  logical :: flag

  call mpi_init(ierror)
  call mpi_comm_rank(MPI_COMM_WORLD, rank, ierror)
  call mpi_comm_size(MPI_COMM_WORLD, ranks, ierror)
  call mpi_comm_dup(MPI_COMM_WORLD, comm, ierror)
  call mpi_cart_create(comm, 2, [1, ranks], [.true., .false.], .false., grid, ierror)
  call mpi_cart_sub(grid, [.false., .true.], row, ierror)
  to = modulo(rank + 1, ranks)
  from = modulo(rank - 1, ranks)
  total = 0
  do round = 1, rounds
    a = rank + round
    call mpi_irecv(b, n, MPI_DOUBLE_PRECISION, from, 1, comm, requests(1), ierror)
    call mpi_irecv(c(:, 1), n, MPI_DOUBLE_PRECISION, MPI_ANY_SOURCE, 2, comm, requests(2), ierror)
    call mpi_isend(a, n, MPI_DOUBLE_PRECISION, to, 1, comm, requests(3), ierror)
    call mpi_send(a, n / 2, MPI_DOUBLE_PRECISION, to, 2, comm, ierror)
    if (mod(round, 2) == 0) then
      call mpi_waitall(3, requests, statuses, ierror)
      call mpi_get_count(statuses(:, 2), MPI_DOUBLE_PRECISION, count, ierror)
      total = total + count + statuses(MPI_SOURCE, 2)
    else
      done = 0
      do while (done < 3)
        call mpi_waitsome(3, requests, count, indices, statuses, ierror)
        done = done + count
        total = total + sum(indices(1:count))
      end do
    end if
    total = total + sum(b) + sum(c(1:n / 2, 1))

    call mpi_irecv(b, n, MPI_DOUBLE_PRECISION, from, 3, row, requests(1), ierror)
    call mpi_ssend_init(a, n, MPI_DOUBLE_PRECISION, to, 3, row, request, ierror)
    call mpi_start(request, ierror)
    call mpi_waitany(1, requests, index, status, ierror)
    call mpi_wait(request, MPI_STATUS_IGNORE, ierror)
    call mpi_request_free(request, ierror)
    total = total + index + status(MPI_TAG) + sum(b)

    call mpi_isend(a, n, MPI_DOUBLE_PRECISION, to, 4, comm, request, ierror)
    call mpi_mprobe(from, 4, comm, message, status, ierror)
    call mpi_mrecv(b, n, MPI_DOUBLE_PRECISION, message, MPI_STATUS_IGNORE, ierror)
    flag = .false.
    do while (.not. flag)
      call mpi_test(request, flag, status, ierror)
    end do
    total = total + sum(b)

    call mpi_isend(a, n / 4, MPI_DOUBLE_PRECISION, to, 6, comm, request, ierror)
    flag = .false.
    do while (.not. flag)
      call mpi_iprobe(from, 6, comm, flag, status, ierror)
    end do
    call mpi_probe(MPI_ANY_SOURCE, 6, comm, status, ierror)
    call mpi_get_count(status, MPI_DOUBLE_PRECISION, count, ierror)
    call mpi_recv(b, count, MPI_DOUBLE_PRECISION, status(MPI_SOURCE), 6, comm, MPI_STATUS_IGNORE, ierror)
    call mpi_wait(request, MPI_STATUS_IGNORE, ierror)
    total = total + count + sum(b)

    b = a
    call mpi_allreduce(MPI_IN_PLACE, b, n, MPI_DOUBLE_PRECISION, MPI_SUM, comm, ierror)
    call mpi_ibcast(b, n, MPI_DOUBLE_PRECISION, 0, row, request, ierror)
    call mpi_wait(request, MPI_STATUS_IGNORE, ierror)
    call mpi_sendrecv(b, n, MPI_DOUBLE_PRECISION, to, 5, a, n, MPI_DOUBLE_PRECISION, from, 5, comm, status, ierror)
    total = total + sum(a) / n
  end do
  call mpi_reduce(total, a(1), 1, MPI_DOUBLE_PRECISION, MPI_SUM, 0, comm, ierror)
  if (rank == 0) print '(a, f16.3)', 'sum ', a(1)
  call mpi_comm_idup(comm, other, request, ierror)
  call mpi_pcontrol(1)
  call mpi_wait(request, MPI_STATUS_IGNORE, ierror)
  call mpi_allreduce(MPI_IN_PLACE, b, n / 2, MPI_DOUBLE_PRECISION, MPI_SUM, other, ierror)
  if (rank == 0) print '(a, f16.3)', 'other ', sum(b)
  call mpi_comm_free(other, ierror)
  call mpi_comm_free(row, ierror)
  call mpi_comm_free(grid, ierror)
  call mpi_comm_free(comm, ierror)
  call mpi_finalize(ierror)
end program
