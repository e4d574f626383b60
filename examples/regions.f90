! Measures regions of a Fortran MPI program's own code as kernels of `flopcast mpi`.
!
! Every process executes `steps` transpositions, then all processes add up their results. Compile with flopcast.f90 and link with
! libflopcast_regions.a.
!   for      authors of MPI programs in Fortran whose time isn't all in BLAS
!   build    mpifort.openmpi -O2 flopcast/preload/user/flopcast.f90 examples/regions.f90 build/check/lib/libflopcast_regions.a -o
!              regions
!   run      mpirun.openmpi -n 2 flopcast mpi run --figure regions.svg -- ./regions
!   read     docs/howto/tune_mpi_program.md
program regions
  use mpi
  use flopcast
  implicit none
  integer, parameter :: n = 200, steps = 20
  double precision :: a(n, n), b(n, n), mine, all
  integer :: step, rank, ierror

  call mpi_init(ierror)
  call mpi_comm_rank(MPI_COMM_WORLD, rank, ierror)
  call random_number(a)
  a = 1
  b = 0
  mine = 0
  do step = 1, steps
    if (flopcast_kernel('transpose', [n, n])) then
      b = transpose(a)
      call flopcast_end()
    end if
    call flopcast_begin('add column')
    mine = mine + sum(b(:, 1))
    call flopcast_end()
    if (step == 1) call flopcast_reset()   ! the first step is a warm-up
  end do
  call mpi_reduce(mine, all, 1, MPI_DOUBLE_PRECISION, MPI_SUM, 0, MPI_COMM_WORLD, ierror)
  if (rank == 0) print '(a, f12.1)', 'sum ', all
  call mpi_finalize(ierror)
end program
