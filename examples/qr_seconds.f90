! Factors a random matrix of order n five times with LAPACK's dgeqrf. An ordinary Fortran program without any use of flopcast.
!
! n is the first argument, 2000 by default. The program prints the median time and the largest error of Q R.
!   for      users who want their own program to run with tuned block sizes
!   build    gfortran -O2 examples/qr_seconds.f90 -o qr_seconds -l:liblapack.so.3 -l:libblas.so.3
!   run      flopcast run --blas openblas-serial --lapack reference -- ./qr_seconds 1000
!   read     docs/tutorial/tune_qr.md
program qr_seconds
  implicit none
  integer, parameter :: wp = kind(1.0d0), repetitions = 5
  real(wp), allocatable :: a(:, :), qr(:, :), r(:, :), tau(:), work(:)
  real(wp) :: seconds(repetitions), size_wanted(1)
  integer :: n, info, repetition, j
  character(len=32) :: argument
  external :: dgeqrf, dormqr

  n = 2000
  if (command_argument_count() > 0) then
    call get_command_argument(1, argument)
    read (argument, *) n
  end if
  allocate (a(n, n), qr(n, n), r(n, n), tau(n))
  call random_number(a)

  call dgeqrf(n, n, qr, n, tau, size_wanted, -1, info)
  allocate (work(max(int(size_wanted(1)), 128*n)))
  do repetition = 1, repetitions
    qr = a
    seconds(repetition) = -now()
    call dgeqrf(n, n, qr, n, tau, work, size(work), info)
    seconds(repetition) = seconds(repetition) + now()
    if (info /= 0) error stop 'dgeqrf failed'
  end do

  r = 0
  do j = 1, n
    r(1:j, j) = qr(1:j, j)
  end do
  call dormqr('L', 'N', n, n, n, qr, n, tau, r, n, work, size(work), info)
  if (info /= 0) error stop 'dormqr failed'
  print '("QR of order ", i0, ": ", f0.3, " s, |A - QR| / |A| = ", es7.1)', n, median(seconds), norm2(a - r)/norm2(a)

contains

  real(wp) function now()
    integer(kind=8) :: ticks, rate
    call system_clock(ticks, rate)
    now = real(ticks, wp)/real(rate, wp)
  end function

  real(wp) function median(values)
    real(wp), intent(in) :: values(:)
    integer :: i
    do i = 1, size(values)
      median = values(i)
      if (count(values < median) <= size(values)/2 .and. count(values <= median) > size(values)/2) return
    end do
  end function

end program
