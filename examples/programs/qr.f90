! Factors a random n x n matrix with LAPACK's dgeqrf, and prints the residual |A - Q R|, relative to A: small if all went well.
!   for      users who look for what makes a Fortran program slow
!   build    gfortran -O2 examples/programs/qr.f90 -o qr -l:liblapack.so.3 -l:libblas.so.3
!   run      flopcast run --report -- ./qr 1000
!   picture  flopcast record --output qr.trace -- ./qr 1000 && flopcast profile qr.trace --figure qr.svg
!   read     docs/reference/programs.md
program qr
  implicit none
  integer, parameter :: dp = kind(1d0)
  real(dp), allocatable :: a(:, :), q(:, :), r(:, :), tau(:), work(:)
  real(dp) :: best(1)
  integer :: n, info, j
  character(len=32) :: argument

  n = 500
  if (command_argument_count() > 0) then
    call get_command_argument(1, argument)
    read (argument, *) n
  end if
  allocate (a(n, n), r(n, n), tau(n))
  call random_number(a)
  q = a

  call dgeqrf(n, n, q, n, tau, best, -1, info)
  allocate (work(int(best(1))))
  call dgeqrf(n, n, q, n, tau, work, size(work), info)
  if (info /= 0) error stop 'dgeqrf failed'
  r = 0
  do j = 1, n
    r(1:j, j) = q(1:j, j)
  end do

  call dorgqr(n, n, n, q, n, tau, best, -1, info)
  deallocate (work)
  allocate (work(int(best(1))))
  call dorgqr(n, n, n, q, n, tau, work, size(work), info)
  if (info /= 0) error stop 'dorgqr failed'
  call dgemm('N', 'N', n, n, n, -1d0, q, n, r, n, 1d0, a, n)
  print '(a, es9.2)', 'residual', maxval(abs(a)) / n
  if (maxval(abs(a)) > 1d-13 * n) error stop 'the factors are wrong'
end program qr
