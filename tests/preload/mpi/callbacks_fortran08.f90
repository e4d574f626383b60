! A reduction whose operation computes products, by the interface of 2008.
module products
  use iso_c_binding
  use mpi_f08
  implicit none
  integer, parameter :: n = 24
  integer :: computed = 0
contains
  subroutine operation(in, in_and_out, count, type)
    type(c_ptr), value :: in, in_and_out
    integer :: count
    type(MPI_Datatype) :: type
    double precision, pointer :: a(:, :), b(:, :)
    double precision :: c(n, n)
    integer :: i
    if (type == MPI_DATATYPE_NULL) return
    do i = 1, count
      call c_f_pointer(in, a, [n, n])
      call c_f_pointer(in_and_out, b, [n, n])
      call dgemm('N', 'N', n, n, n, 1d0, a, n, b, n, 0d0, c, n)
      b = c
      computed = computed + 1
    end do
  end subroutine
end module

program callbacks
  use products
  implicit none
  type(MPI_Op) :: op
  type(MPI_Datatype) :: matrix
  integer :: rank, all, i
  double precision :: mine(n * n), reduced(n * n)
  call mpi_init()
  call mpi_comm_rank(MPI_COMM_WORLD, rank)
  call mpi_type_contiguous(n * n, MPI_DOUBLE_PRECISION, matrix)
  call mpi_type_commit(matrix)
  call mpi_op_create(operation, .false., op)
  mine = 1d0 / n
  do i = 1, 4
    call mpi_allreduce(mine, reduced, 1, matrix, op, MPI_COMM_WORLD)
  end do
  call mpi_reduce(computed, all, 1, MPI_INTEGER, MPI_SUM, 0, MPI_COMM_WORLD)
  if (rank == 0) print '(a,i0,f12.8)', 'fortran08 ', all, sum(reduced)
  call mpi_op_free(op)
  call mpi_finalize()
end program
