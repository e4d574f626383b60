! The Fortran module flopcast_contract: types, ranks, what is refused. Prints each failure, and ends with an error if there is one.
program contract_test
  use, intrinsic :: iso_c_binding, only: c_double, c_double_complex, c_float, c_float_complex, c_int64_t
  use flopcast_contract
  implicit none
  integer :: failures = 0
  type(flopcast_bench) :: bench

  call before_opening()
  call flopcast_open(bench)
  call real_types()
  call complex_types()
  call ranks()
  call whole_notation()
  call many_operands()
  call other_arrays()
  call refusals()
  call block_sizes()
  call flopcast_close(bench)
  if (failures > 0) error stop 1
  print '(a)', 'the Fortran module works'

contains

  subroutine expect(holds, what)
    logical, intent(in) :: holds
    character(*), intent(in) :: what
    if (holds) return
    failures = failures + 1
    print '(3a)', 'failed: ', what, '; last message: '//flopcast_error()
  end subroutine

  subroutine before_opening()
    type(flopcast_contraction) :: plan
    type(flopcast_bench) :: closed
    real(c_double) :: a(2, 2)
    integer :: status
    call flopcast_plan(plan, closed, 'ij,jk->ik', a, a, a, status=status)
    call expect(status == 2 .and. index(flopcast_error(), 'bench is a null pointer') > 0, 'a bench that was never opened')
    call flopcast_execute(plan, a, a, a, status=status)
    call expect(status == 2, 'a plan that was never made')
    call expect(flopcast_seconds(plan) < 0 .and. flopcast_explain(plan) == '', 'facts about a plan that was never made')
  end subroutine

  subroutine real_types()
    type(flopcast_contraction) :: plan
    real(c_float) :: a(3, 4), b(4, 5), c(3, 5)
    real(c_double), allocatable :: x(:, :), y(:, :), z(:, :)
    integer :: i
    a = reshape([(real(mod(i, 7), c_float), i = 1, 12)], [3, 4])
    b = reshape([(real(mod(3*i, 5), c_float), i = 1, 20)], [4, 5])
    c = 1
    call flopcast_plan(plan, bench, 'ij,jk->ik', a, b, c)
    call flopcast_execute(plan, a, b, c, alpha=2.0_c_float, beta=-1.0_c_float)
    call expect(all(c == 2*matmul(a, b) - 1), 'single precision, alpha and beta')
    call flopcast_destroy(plan)
    x = a
    y = b
    allocate (z(3, 5))
    call flopcast_plan(plan, bench, 'ij,jk->ik', x, y, z, effort=flopcast_microbench, threads=1)
    call flopcast_execute(plan, x, y, z)
    call expect(all(z == matmul(x, y)), 'double precision')
    call expect(flopcast_seconds(plan) > 0 .and. index(flopcast_explain(plan), 'ij,jk->ik') > 0, 'facts about a plan')
    call expect(flopcast_decided(plan), 'a choice that is made')
    call flopcast_destroy(plan)
    call incremental_plan()
  end subroutine

  subroutine incremental_plan()
    type(flopcast_contraction) :: plan
    real(c_double), allocatable :: x(:, :), y(:, :), z(:, :)
    integer :: i
    call expect(.not. flopcast_decided(plan), 'no choice without a plan')
    allocate (x(30, 20), y(20, 25), z(30, 25))
    x = 1
    y = 2
    call flopcast_plan(plan, bench, 'ij,jk->ik', x, y, z, effort=flopcast_incremental)
    do i = 1, 80
      z = 1
      call flopcast_execute(plan, x, y, z, beta=1.0_c_double)
      call expect(all(z == 41), 'an execution that tries a candidate')
    end do
    call expect(flopcast_decided(plan), 'a choice that executions make')
    call flopcast_destroy(plan)
  end subroutine

  subroutine complex_types()
    type(flopcast_contraction) :: plan
    complex(c_float_complex) :: a(2, 3), b(3, 2), c(2, 2)
    complex(c_double_complex) :: x(2, 3), y(3, 2), z(2, 2)
    integer :: i
    x = reshape([(cmplx(i, -i, c_double_complex), i = 1, 6)], [2, 3])
    y = reshape([(cmplx(mod(i, 3), 2, c_double_complex), i = 1, 6)], [3, 2])
    a = cmplx(x, kind=c_float_complex)
    b = cmplx(y, kind=c_float_complex)
    call flopcast_plan(plan, bench, 'ij,jk->ik', a, b, c)
    call flopcast_execute(plan, a, b, c)
    call expect(all(c == matmul(a, b)), 'single complex')
    call flopcast_plan(plan, bench, 'ij,jk->ik', x, y, z)
    call flopcast_execute(plan, x, y, z, alpha=(0.0_c_double, 1.0_c_double))
    call expect(all(z == (0.0_c_double, 1.0_c_double)*matmul(x, y)), 'double complex and a complex alpha')
    call flopcast_destroy(plan)
  end subroutine

  subroutine ranks()
    type(flopcast_contraction) :: plan
    real(c_double) :: v(5), dot, many(2, 3, 1, 2, 1, 2, 5), result(2, 3, 1, 2, 1, 2)
    integer :: i
    v = [(real(i, c_double), i = 1, 5)]
    call flopcast_plan(plan, bench, 'i,i->', v, v, dot)
    call flopcast_execute(plan, v, v, dot)
    call expect(dot == dot_product(v, v), 'a scalar as result')
    call random_number(many)
    call flopcast_plan(plan, bench, 'abcdefg,g->abcdef', many, v, result)
    call flopcast_execute(plan, many, v, result)
    call expect(maxval(abs(reshape(result, [24]) - matmul(reshape(many, [24, 5]), v))) < 1e-13_c_double, 'seven dimensions')
    call flopcast_destroy(plan)
  end subroutine

  subroutine whole_notation()
    type(flopcast_contraction) :: plan
    complex(c_double_complex) :: x(3, 2), y(3, 2), product(2, 2)
    real(c_double) :: a(2, 3), b(4, 3), c(2, 4, 3)
    integer :: i, k
    x = reshape([(cmplx(i, -i, c_double_complex), i = 1, 6)], [3, 2])
    y = reshape([(cmplx(mod(i, 3), 2, c_double_complex), i = 1, 6)], [3, 2])
    call flopcast_plan(plan, bench, 'conj(ki),kj->ij', x, y, product)
    call flopcast_execute(plan, x, y, product)
    call expect(all(product == matmul(conjg(transpose(x)), y)), 'a conjugated operand')
    a = reshape([(real(i, c_double), i = 1, 6)], [2, 3])
    b = reshape([(real(mod(5*i, 7), c_double), i = 1, 12)], [4, 3])
    call flopcast_plan(plan, bench, 'i...,j...->ij...', a, b, c)
    call flopcast_execute(plan, a, b, c)
    call expect(all([((c(:, i, k) == a(:, k)*b(i, k), i = 1, 4), k = 1, 3)]), 'an ellipsis')
    call flopcast_destroy(plan)
  end subroutine

  subroutine many_operands()
    type(flopcast_contraction) :: plan
    type(flopcast_operand) :: operands(3)
    real(c_double), target :: a(3, 4), b(4, 2), c(2, 5), gaps(8, 2)
    real(c_float), target :: single(2, 5)
    complex(c_double_complex), target :: x(2, 3), y(3, 2), z(2)
    complex(c_double_complex) :: w(2)
    real(c_double) :: d(3, 5), before(3, 5), dot
    integer :: i, status
    a = reshape([(real(mod(i, 7), c_double), i = 1, 12)], [3, 4])
    b = reshape([(real(mod(3*i, 5), c_double), i = 1, 8)], [4, 2])
    c = reshape([(real(mod(5*i, 3), c_double), i = 1, 10)], [2, 5])
    d = 1
    operands = [flopcast_operand(a), flopcast_operand(b), flopcast_operand(c)]
    call flopcast_plan(plan, bench, 'ij,jk,kl->il', operands, d)
    call flopcast_execute(plan, operands, d, alpha=2.0_c_double, beta=-1.0_c_double)
    call expect(all(d == 2*matmul(matmul(a, b), c) - 1), 'three operands, alpha and beta')
    call expect(index(flopcast_explain(plan), 'operand1[ij]') > 0, 'axes of the explanation in the order of the expression')
    call flopcast_plan(plan, bench, 'ij,jk,kl->', operands, dot, max_bytes=1000.0_c_double)
    call flopcast_execute(plan, operands, dot)
    call expect(dot == sum(matmul(matmul(a, b), c)), 'a scalar result, and a limit of bytes')
    x = reshape([(cmplx(i, -i, c_double_complex), i = 1, 6)], [2, 3])
    y = reshape([(cmplx(mod(i, 3), 2, c_double_complex), i = 1, 6)], [3, 2])
    z = [(1.0_c_double, 2.0_c_double), (3.0_c_double, 0.0_c_double)]
    call flopcast_plan(plan, bench, 'ij,jk,conj(k)->i', [flopcast_operand(x), flopcast_operand(y), flopcast_operand(z)], w)
    call flopcast_execute(plan, [flopcast_operand(x), flopcast_operand(y), flopcast_operand(z)], w)
    call expect(all(w == matmul(matmul(x, y), conjg(z))), 'three complex operands')
    call flopcast_plan(plan, bench, 'ij,jk->ik', operands(1:2), before(:, 1:2))
    call flopcast_execute(plan, operands(1:2), before(:, 1:2))
    call expect(all(before(:, 1:2) == matmul(a, b)), 'two operands in an array')

    before = d
    call flopcast_execute(plan, operands, d, status=status)
    call expect(status == 3 .and. index(flopcast_error(), 'has 2 operands, but 3 addresses') > 0, 'more operands than planned')
    call flopcast_plan(plan, bench, 'ij,jk->ik', operands, d, status=status)
    call expect(status == 3 .and. index(flopcast_error(), 'has 2 operands, but 3 are given') > 0, 'operands beyond the notation')
    operands(3) = flopcast_operand(single)
    call flopcast_plan(plan, bench, 'ij,jk,kl->il', operands, d, status=status)
    call expect(status == 2 .and. index(flopcast_error(), 'different types') > 0, 'operands of different types')
    operands(2) = flopcast_operand(gaps(1:8:2, :))
    operands(3) = flopcast_operand(c)
    call flopcast_plan(plan, bench, 'ij,jk,kl->il', operands, d, status=status)
    call expect(status == 2 .and. index(flopcast_error(), 'contiguous') > 0, 'a section with gaps among several operands')
    call expect(all(d == before), 'what fails leaves the result')
    call flopcast_destroy(plan)
  end subroutine

  subroutine refusals()
    type(flopcast_contraction) :: plan
    real(c_double) :: a(4, 4), b(4, 4), c(4, 4), wide(8, 4), before(4, 4), line(4)
    integer :: status
    a = 1
    b = 2
    wide = 3
    c = 5
    before = c
    call flopcast_plan(plan, bench, 'ij,jk->ik', wide(1:8:2, :), b, c, status=status)
    call expect(status == 2 .and. index(flopcast_error(), 'contiguous') > 0, 'a section with gaps in a plan')
    call flopcast_plan(plan, bench, 'ij,jk->ik', a, b, c)
    call flopcast_execute(plan, wide(1:8:2, :), b, c, status=status)
    call expect(status == 2 .and. index(flopcast_error(), 'contiguous') > 0, 'a section with gaps in an execution')
    call expect(all(c == before), 'an execution that fails leaves the result')
    call flopcast_execute(plan, wide(:, 1:2), b, c, status=status)
    call expect(status == 3 .and. index(flopcast_error(), 'A has the shape (8, 2), but the plan is for (4, 4)') > 0, &
      'a contiguous section of another shape with as many elements')
    call expect(all(c == before), 'an execution of another shape leaves the result')
    call flopcast_execute(plan, a, b, a, status=status)
    call expect(status == 3 .and. index(flopcast_error(), 'overlap') > 0, 'a result that is an operand')
    call flopcast_plan(plan, bench, 'ij,jk->ik', a, line, c, status=status)
    call expect(status == 3 .and. index(flopcast_error(), 'B has 1 dimension') > 0, 'a vector for a matrix')
    call flopcast_plan(plan, bench, 'ij,jk->il', a, b, c, status=status)
    call expect(status == 3, 'a result with an index of no operand')
    c = 0
    call flopcast_execute(plan, a, b, c, status=status)
    call expect(status == 0 .and. all(c == 8), 'a plan that could not be replaced')
    call flopcast_open(bench, threads=-1, status=status)
    call flopcast_plan(plan, bench, 'ij,jk->ik', a, b, c)
    call expect(status == 2, 'a workbench that could not be replaced')
    call flopcast_open(bench, blas='no such library', status=status)
    call flopcast_plan(plan, bench, 'ij,jk->ik', a, b, c, status=status)
    call expect(status == 3 .and. index(flopcast_error(), 'no such library') > 0, 'a library that is not there')
  end subroutine

  !> Arrays of another type or shape than the plan's are refused before anything is read or written.
  subroutine other_arrays()
    type(flopcast_contraction) :: plan
    real(c_double), target :: a(6, 6), b(6, 6), c(6, 6), d(6, 6), small(5, 6), cube(6, 6, 1), scalar
    real(c_float), target :: single(6, 6, 3)
    complex(c_double_complex), target :: z(6, 6, 3)
    type(flopcast_operand) :: three(3)
    integer :: status
    a = 1
    b = 1
    c = 1
    d = 1
    small = 1
    cube = 1
    scalar = 1
    single = 1
    z = 1
    call flopcast_plan(plan, bench, 'ij,jk->ik', a, b, c)
    call flopcast_execute(plan, single(:, :, 1), single(:, :, 2), single(:, :, 3), status=status)
    call expect(refused(status, 'A has the type real(c_float), but the plan is for real(c_double)'), 'arrays of single precision')
    call expect(all(single == 1), 'nothing is written into arrays of single precision')
    call flopcast_execute(plan, z(:, :, 1), z(:, :, 2), z(:, :, 3), status=status)
    call expect(refused(status, 'A has the type complex(c_double_complex)') .and. all(z == 1), 'complex arrays')
    call flopcast_execute(plan, a, small, c, status=status)
    call expect(refused(status, 'B has the shape (5, 6), but the plan is for (6, 6)'), 'a second operand with fewer rows')
    call flopcast_execute(plan, a, b, small, status=status)
    call expect(refused(status, 'C has the shape (5, 6)') .and. all(small == 1), 'a result with fewer rows')
    call flopcast_execute(plan, a, b, cube, status=status)
    call expect(refused(status, 'C has the shape (6, 6, 1)'), 'a result with one more axis')
    call flopcast_execute(plan, a, b, scalar, status=status)
    call expect(refused(status, 'C has the shape ()'), 'a scalar for a matrix')
    call flopcast_execute(plan, [flopcast_operand(a), flopcast_operand(single(:, :, 1))], c, status=status)
    call expect(refused(status, 'B has the type real(c_float)'), 'one of two operands in an array')
    call flopcast_execute(plan, a, b, c)
    call expect(all(c == 6), 'the arrays of the plan')

    call flopcast_plan(plan, bench, 'ij->ji', a, scalar, c, status=status)
    call expect(refused(status, 'has 1 operand, but 2 are given'), 'a second array for an expression of one operand')
    call flopcast_plan(plan, bench, 'ij->ji', [flopcast_operand(a)], c)
    call flopcast_execute(plan, [flopcast_operand(a)], c)
    call expect(all(c == transpose(a)), 'an expression of one operand')
    three = [flopcast_operand(a), flopcast_operand(b), flopcast_operand(d)]
    call flopcast_plan(plan, bench, 'ij,jk,kl->il', three, c)
    three(3) = flopcast_operand(small)
    call flopcast_execute(plan, three, c, status=status)
    call expect(refused(status, 'operand 3 has the shape (5, 6)'), 'one of three operands')
    three(3) = flopcast_operand(z(:, :, 1))
    call flopcast_execute(plan, three, c, status=status)
    call expect(refused(status, 'operand 3 has the type complex(c_double_complex)'), 'the type of one of three operands')
    three(3) = flopcast_operand(d)
    call flopcast_execute(plan, three, single(:, :, 1), status=status)
    call expect(refused(status, 'C has the type real(c_float)'), 'the type of the result of three operands')
    call flopcast_destroy(plan)
    call flopcast_execute(plan, a, b, c, status=status)
    call expect(status == 2, 'a plan that was destroyed')
  end subroutine

  logical function refused(status, message)
    integer, intent(in) :: status
    character(*), intent(in) :: message
    refused = status == 3 .and. index(flopcast_error(), message) > 0
  end function

  subroutine block_sizes()
    type(flopcast_tuning) :: tuning
    integer :: status
    call flopcast_open_tuning(tuning, 'no such file', status)
    call expect(status == 3 .and. index(flopcast_error(), 'no such file') > 0, 'a tuning that is not there')
    call expect(flopcast_block_size(tuning, 'dgeqrf', 1000, 1000) == 0, 'a block size without a tuning')
    call flopcast_close_tuning(tuning)
  end subroutine
end program
