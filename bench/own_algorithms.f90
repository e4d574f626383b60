! Blocked algorithms that no library has, for bench/own_algorithms.py: own_algorithms ALGORITHM NB VARIANT N
! ldlt: L D L^T without pivoting. bandqr: Householder QR of a matrix with bandwidth N/5. lu: LU whose pivots are sought in the diagonal
! block only. gs: Gram-Schmidt by blocks, each twice. jacobi: two sweeps of one-sided Jacobi by blocks. VARIANT is left or right (ldlt, lu),
! whole or steps (bandqr: updates at once or block column by block column; gs: projections so), row or column (jacobi: order of pairs).
program own_algorithms
  implicit none
  integer, parameter :: d = kind(1d0)
  character(len=20) :: algorithm, variant, word
  integer :: n, nb, i
  integer, allocatable :: seed(:)
  real(d), allocatable :: a(:, :), w(:, :), rows(:, :)
  call get_command_argument(1, algorithm)
  call get_command_argument(2, word)
  read (word, *) nb
  call get_command_argument(3, variant)
  call get_command_argument(4, word)
  read (word, *) n
  call random_seed(size=i)
  allocate (seed(i))
  seed = 1
  call random_seed(put=seed)
  allocate (a(n, n), w(n, 2 * nb), rows(nb, n))
  call random_number(a(:, 1))
  do i = 2, n
    a(:, i) = 997.3d0 * a(:, i - 1) + 0.1d0
    a(:, i) = a(:, i) - int(a(:, i))
  end do
  a = a - 0.5d0
  if (algorithm == 'ldlt' .or. algorithm == 'lu') then
    do i = 1, n
      a(i, i) = a(i, i) + n
    end do
  end if
  select case (algorithm)
  case ('ldlt')
    call ldlt()
  case ('bandqr')
    call bandqr(n / 5)
  case ('lu')
    call lu()
  case ('gs')
    call gram_schmidt()
  case ('jacobi')
    call jacobi()
  case default
    stop 2
  end select
  print *, a(n, n)
contains
  subroutine ldlt()
    integer :: k, b, j, c, m
    do k = 1, n, nb
      b = min(nb, n - k + 1)
      m = n - k - b + 1
      if (variant == 'left' .and. k > 1) then
        do j = 1, k - 1
          rows(1:b, j) = a(k:k + b - 1, j) * a(j, j)
        end do
        call dgemm('N', 'T', n - k + 1, b, k - 1, -1d0, a(k, 1), n, rows, nb, 1d0, a(k, k), n)
      end if
      do j = k, k + b - 1
        do c = j + 1, k + b - 1
          a(c:k + b - 1, c) = a(c:k + b - 1, c) - a(c, j) / a(j, j) * a(c:k + b - 1, j)
        end do
        a(j + 1:k + b - 1, j) = a(j + 1:k + b - 1, j) / a(j, j)
      end do
      if (m < 1) exit
      call dtrsm('R', 'L', 'T', 'U', m, b, 1d0, a(k, k), n, a(k + b, k), n)
      do j = 1, b
        w(1:m, j) = a(k + b:n, k + j - 1)
        a(k + b:n, k + j - 1) = w(1:m, j) / a(k + j - 1, k + j - 1)
      end do
      if (variant == 'left') cycle
      do j = k + b, n, nb
        c = min(nb, n - j + 1)
        call dgemm('N', 'T', n - j + 1, c, b, -1d0, a(j, k), n, w(j - k - b + 1, 1), n, 1d0, a(j, j), n)
      end do
    end do
  end subroutine

  subroutine bandqr(band)
    integer, intent(in) :: band
    integer :: k, b, j, c, last, columns, step
    real(d) :: tau(nb), t(nb, nb), v(nb + band, nb), norm
    do j = 1, n
      a(j + band + 1:n, j) = 0
      a(1:j - band - 1, j) = 0
    end do
    do k = 1, n, nb
      b = min(nb, n - k + 1)
      last = min(n, k + b + band - 1)
      do j = 1, b  ! Householder vectors of the panel
        associate (x => a(k + j - 1:last, k + j - 1))
          norm = sign(sqrt(sum(x**2)), x(1))
          if (norm == 0) norm = 1
          tau(j) = (norm + x(1)) / norm
          v(:, j) = 0
          v(j:last - k + 1, j) = x / (norm + x(1))
          v(j, j) = 1
          x = 0
          x(1) = -norm
        end associate
        do c = k + j, k + b - 1
          associate (y => a(k + j - 1:last, c))
            y = y - tau(j) * dot_product(v(j:last - k + 1, j), y) * v(j:last - k + 1, j)
          end associate
        end do
        t(:, j) = 0
        if (j > 1) then
          call dgemv('T', last - k + 1, j - 1, -tau(j), v, nb + band, v(1, j), 1, 0d0, t(1, j), 1)
          call dtrmv('U', 'N', 'N', j - 1, t, nb, t(1, j), 1)
        end if
        t(j, j) = tau(j)
      end do
      columns = min(n, last + band) - (k + b) + 1
      step = merge(columns, nb, variant == 'whole')
      do c = k + b, k + b + columns - 1, max(step, 1)
        j = min(step, k + b + columns - c)
        call dgemm('T', 'N', b, j, last - k + 1, 1d0, v, nb + band, a(k, c), n, 0d0, rows, nb)
        call dtrmm('L', 'U', 'T', 'N', b, j, 1d0, t, nb, rows, nb)
        call dgemm('N', 'N', last - k + 1, j, b, -1d0, v, nb + band, rows, nb, 1d0, a(k, c), n)
      end do
    end do
  end subroutine

  subroutine lu()
    integer :: k, b, j, p, m
    real(d) :: row(n)
    do k = 1, n, nb
      b = min(nb, n - k + 1)
      m = n - k - b + 1
      if (variant == 'left' .and. k > 1) then
        call dtrsm('L', 'L', 'N', 'U', k - 1, b, 1d0, a, n, a(1, k), n)
        call dgemm('N', 'N', n - k + 1, b, k - 1, -1d0, a(k, 1), n, a(1, k), n, 1d0, a(k, k), n)
      end if
      do j = k, k + b - 1
        p = j - 1 + maxloc(abs(a(j:k + b - 1, j)), 1)
        if (p /= j) then
          row = a(p, :)
          a(p, :) = a(j, :)
          a(j, :) = row
        end if
        a(j + 1:k + b - 1, j) = a(j + 1:k + b - 1, j) / a(j, j)
        do p = j + 1, k + b - 1
          a(j + 1:k + b - 1, p) = a(j + 1:k + b - 1, p) - a(j + 1:k + b - 1, j) * a(j, p)
        end do
      end do
      if (m < 1) exit
      call dtrsm('R', 'U', 'N', 'N', m, b, 1d0, a(k, k), n, a(k + b, k), n)
      if (variant == 'left') cycle
      call dtrsm('L', 'L', 'N', 'U', b, m, 1d0, a(k, k), n, a(k, k + b), n)
      call dgemm('N', 'N', m, m, b, -1d0, a(k + b, k), n, a(k, k + b), n, 1d0, a(k + b, k + b), n)
    end do
  end subroutine

  subroutine gram_schmidt()
    integer :: k, b, j, c, times, step
    do k = 1, n, nb
      b = min(nb, n - k + 1)
      do times = 1, 2
        step = merge(k - 1, nb, variant == 'whole')
        do c = 1, k - 1, max(step, 1)
          j = min(step, k - c)
          call dgemm('T', 'N', j, b, n, 1d0, a(1, c), n, a(1, k), n, 0d0, w, n)
          call dgemm('N', 'N', n, b, j, -1d0, a(1, c), n, w, n, 1d0, a(1, k), n)
        end do
        do j = k, k + b - 1
          if (j > k) then
            call dgemv('T', n, j - k, 1d0, a(1, k), n, a(1, j), 1, 0d0, w, 1)
            call dgemv('N', n, j - k, -1d0, a(1, k), n, w, 1, 1d0, a(1, j), 1)
          end if
          a(:, j) = a(:, j) / sqrt(sum(a(:, j)**2))
        end do
      end do
    end do
  end subroutine

  subroutine jacobi()
    integer :: sweep, p, q, bp, bq, info, first, second
    real(d) :: g(2 * nb, 2 * nb), values(2 * nb), work(64 * nb)
    do sweep = 1, 2
      do first = 1, n - nb, nb
        do second = first + nb, n, nb
          p = merge(first, n + 1 - nb * ((second - 1) / nb + 1), variant == 'row')
          q = merge(second, n + 1 - nb * ((first - 1) / nb + 1), variant == 'row')
          bp = min(nb, n - p + 1)
          bq = min(nb, n - q + 1)
          if (p < 1 .or. q < 1) cycle
          w(:, 1:bp) = a(:, p:p + bp - 1)
          w(:, bp + 1:bp + bq) = a(:, q:q + bq - 1)
          call dsyrk('L', 'T', bp + bq, n, 1d0, w, n, 0d0, g, 2 * nb)
          call dsyev('V', 'L', bp + bq, g, 2 * nb, values, work, 64 * nb, info)
          call dgemm('N', 'N', n, bp, bp + bq, 1d0, w, n, g, 2 * nb, 0d0, a(1, p), n)
          call dgemm('N', 'N', n, bq, bp + bq, 1d0, w, n, g(1, bp + 1), 2 * nb, 0d0, a(1, q), n)
        end do
      end do
    end do
  end subroutine
end program
