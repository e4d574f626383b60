! Plans terms of the CCSD doubles equation once, and executes them in each iteration.
!
! Compile with flopcast_contract.f90 and link libflopcast. The check adds up every product in plain loops.
!   for      authors of quantum chemistry programs in Fortran
!   build    cmake --build --preset check --target example_ccsd_fortran
!   run      build/check/bin/example_ccsd_fortran
!   read     docs/howto/ccsd.md
program ccsd
  use, intrinsic :: iso_c_binding, only: c_double
  use flopcast_contract
  implicit none
  integer, parameter :: v = 6, o = 4   ! virtual orbitals a to d, occupied orbitals i to l
  real(c_double), target :: vvvv(v, v, v, v), oooo(o, o, o, o), ovov(o, v, o, v), oovv(o, o, v, v), vvvo(v, v, v, o)
  real(c_double), target :: t1(v, o), t2(v, v, o, o)
  real(c_double) :: r(v, v, o, o), largest
  type(flopcast_bench) :: bench
  type(flopcast_contraction) :: pp_ladder, hh_ladder, ring, singles, square1, square2
  integer :: a, b, i, j

  call random_number(vvvv)
  call random_number(oooo)
  call random_number(ovov)
  call random_number(oovv)
  call random_number(vvvo)
  call random_number(t1)
  call random_number(t2)

  call flopcast_open(bench)
  call flopcast_plan(pp_ladder, bench, 'abcd,cdij->abij', vvvv, t2, r)
  call flopcast_plan(hh_ladder, bench, 'klij,abkl->abij', oooo, t2, r)
  call flopcast_plan(ring, bench, 'kbic,ackj->abij', ovov, t2, r)
  call flopcast_plan(singles, bench, 'abcj,ci->abij', vvvo, t1, r)
  ! Three operands are a tree of two contractions, whose order the plan chooses.
  call flopcast_plan(square1, bench, 'abcd,ci,dj->abij', [flopcast_operand(vvvv), flopcast_operand(t1), flopcast_operand(t1)], r)
  call flopcast_plan(square2, bench, 'klcd,cdij,abkl->abij', [flopcast_operand(oovv), flopcast_operand(t2), &
    flopcast_operand(t2)], r)

  ! These lines are executed in each iteration: r := alpha * term + beta * r.
  call flopcast_execute(pp_ladder, vvvv, t2, r, alpha=0.5_c_double)
  call flopcast_execute(hh_ladder, oooo, t2, r, alpha=0.5_c_double, beta=1.0_c_double)
  call flopcast_execute(ring, ovov, t2, r, alpha=-1.0_c_double, beta=1.0_c_double)
  call flopcast_execute(singles, vvvo, t1, r, beta=1.0_c_double)
  call flopcast_execute(square1, [flopcast_operand(vvvv), flopcast_operand(t1), flopcast_operand(t1)], r, beta=1.0_c_double)
  call flopcast_execute(square2, [flopcast_operand(oovv), flopcast_operand(t2), flopcast_operand(t2)], r, &
    alpha=0.25_c_double, beta=1.0_c_double)

  largest = 0
  do j = 1, o
    do i = 1, o
      do b = 1, v
        do a = 1, v
          largest = max(largest, abs(r(a, b, i, j) - by_loops(a, b, i, j)))
        end do
      end do
    end do
  end do
  if (largest < 1e-10_c_double) print '(a)', '6 terms; the loops agree'
  if (.not. largest < 1e-10_c_double) print '(a)', '6 terms; the loops disagree'

  call flopcast_destroy(pp_ladder)
  call flopcast_destroy(hh_ladder)
  call flopcast_destroy(ring)
  call flopcast_destroy(singles)
  call flopcast_destroy(square1)
  call flopcast_destroy(square2)
  call flopcast_close(bench)

contains

  !> Returns one element of the sum of all terms.
  function by_loops(a, b, i, j) result(total)
    integer, intent(in) :: a, b, i, j
    real(c_double) :: total
    integer :: c, d, k, l
    total = 0
    do c = 1, v
      total = total + vvvo(a, b, c, j)*t1(c, i)
      do d = 1, v
        total = total + vvvv(a, b, c, d)*(0.5_c_double*t2(c, d, i, j) + t1(c, i)*t1(d, j))
        do l = 1, o
          do k = 1, o
            total = total + 0.25_c_double*oovv(k, l, c, d)*t2(c, d, i, j)*t2(a, b, k, l)
          end do
        end do
      end do
      do k = 1, o
        total = total - ovov(k, b, i, c)*t2(a, c, k, j)
      end do
    end do
    do l = 1, o
      do k = 1, o
        total = total + 0.5_c_double*oooo(k, l, i, j)*t2(a, b, k, l)
      end do
    end do
  end function
end program
