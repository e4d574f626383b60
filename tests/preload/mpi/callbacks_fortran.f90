! A reduction whose operation computes products, by the old interface.
module products
  implicit none
  integer, parameter :: n = 24
  integer :: computed = 0
contains
  subroutine multiply(a, b)
    double precision, intent(in) :: a(n, n)
    double precision, intent(inout) :: b(n, n)
    double precision :: c(n, n)
    call dgemm('N', 'N', n, n, n, 1d0, a, n, b, n, 0d0, c, n)
    b = c
    computed = computed + 1
  end subroutine
  subroutine operation(in, in_and_out, count, type)
    integer :: count, type, i
    double precision :: in(n * n, count), in_and_out(n * n, count)
    do i = 1, count
      call multiply(in(:, i), in_and_out(:, i))
    end do
  end subroutine
end module

program callbacks
  use mpi
  use products
  implicit none
  integer :: error, op, matrix, rank, all, i
  double precision :: mine(n * n), reduced(n * n)
  call mpi_init(error)
  call mpi_comm_rank(MPI_COMM_WORLD, rank, error)
  call mpi_type_contiguous(n * n, MPI_DOUBLE_PRECISION, matrix, error)
  call mpi_type_commit(matrix, error)
  call mpi_op_create(operation, .false., op, error)
  mine = 1d0 / n
  do i = 1, 4
    call mpi_allreduce(mine, reduced, 1, matrix, op, MPI_COMM_WORLD, error)
  end do
  call mpi_reduce(computed, all, 1, MPI_INTEGER, MPI_SUM, 0, MPI_COMM_WORLD, error)
  if (rank == 0) print '(a,i0,f12.8)', 'fortran ', all, sum(reduced)
  call mpi_op_free(op, error)
  call mpi_finalize(error)
end program
