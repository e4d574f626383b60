! Reads the values of configurations_program.c by name, without command-line arguments, and prints them.
program configurations
  use mpi
  use flopcast
  use, intrinsic :: iso_c_binding, only: c_int64_t
  implicit none
  integer :: rank, order, ierror
  integer(c_int64_t) :: depth
  character(:), allocatable :: way

  call mpi_init(ierror)
  call mpi_comm_rank(MPI_COMM_WORLD, rank, ierror)
  do while (flopcast_next_configuration())
    order = flopcast_parameter('order', 40)
    depth = flopcast_parameter('depth', 3_c_int64_t)
    way = flopcast_parameter('way', 'all')
    call mpi_barrier(MPI_COMM_WORLD, ierror)
    if (rank == 0) print '(a, i0, a, i0, a)', 'order ', order, ', depth ', depth, ', '//way//'.'
  end do
  call mpi_finalize(ierror)
end program
