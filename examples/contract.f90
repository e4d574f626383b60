! Plans a tensor contraction once and executes it, in Fortran. A contraction whose sizes don't fit is refused with a reason.
!
! Compile with flopcast_contract.f90 and link libflopcast.
!   for      authors of Fortran programs that contract tensors
!   build    cmake --build --preset check --target example_contract_fortran
!   run      build/check/bin/example_contract_fortran
!   read     docs/reference/c.md
program contract
  use, intrinsic :: iso_c_binding, only: c_double
  use flopcast_contract
  implicit none
  integer, parameter :: v = 20, o = 6
  real(c_double) :: t(v, v, o, o), w(v, v, v, v), r(v, v, o, o), check
  type(flopcast_bench) :: bench
  type(flopcast_contraction) :: ladder
  integer :: iteration, status

  call random_number(t)
  call random_number(w)
  call flopcast_open(bench)
  ! The particle-particle ladder of coupled cluster: R_abij := sum over c and d of W_abcd T_cdij
  call flopcast_plan(ladder, bench, 'abcd,cdij->abij', w, t, r)
  do iteration = 1, 3
    call flopcast_execute(ladder, w, t, r, alpha=0.5_c_double)
  end do
  check = maxval(abs(reshape(r, [v*v, o*o]) - 0.5_c_double*matmul(reshape(w, [v*v, v*v]), reshape(t, [v*v, o*o]))))
  if (check < 1e-10_c_double) print '(a)', 'flopcast and matmul agree'

  call flopcast_plan(ladder, bench, 'abcd,cdij->iabj', w, t, r, status=status)
  if (status /= 0) print '(2a)', 'refused: ', flopcast_error()
  call flopcast_destroy(ladder)
  call flopcast_close(bench)
end program
