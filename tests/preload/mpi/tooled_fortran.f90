! Process 0 sends three messages to process 1.
program tooled
  use mpi
  implicit none
  integer :: rank, error, i
  double precision :: data(100)
  call mpi_init(error)
  call mpi_comm_rank(MPI_COMM_WORLD, rank, error)
  data = rank
  do i = 1, 3
    if (rank == 0) call mpi_send(data, 100, MPI_DOUBLE_PRECISION, 1, i, MPI_COMM_WORLD, error)
    if (rank == 1) call mpi_recv(data, 100, MPI_DOUBLE_PRECISION, 0, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE, error)
  end do
  call mpi_finalize(error)
end program
