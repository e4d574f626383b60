!> Tensor contractions and tuned block sizes for Fortran. Compile this file with the program and link libflopcast.
!>
!>   type(flopcast_bench) :: bench
!>   type(flopcast_contraction) :: plan
!>   call flopcast_open(bench)
!>   call flopcast_plan(plan, bench, 'ija,jbic->abc', a, b, c)
!>   call flopcast_execute(plan, a, b, c)          ! as often as wanted: c = a b
!>   call flopcast_execute(plan, a, b, c, beta=1d0)   ! c = a b + c
!>   call flopcast_destroy(plan)
!>   call flopcast_close(bench)
!>
!> Any number of operands, which have the attribute target, as an array:
!>
!>   call flopcast_plan(plan, bench, 'ab,bc,cd->ad', [flopcast_operand(x), flopcast_operand(y), flopcast_operand(z)], c)
!>   call flopcast_execute(plan, [flopcast_operand(x), flopcast_operand(y), flopcast_operand(z)], c)
!>
!> Arrays have up to 7 dimensions (15 where the compiler has as many), one of the types real(c_float), real(c_double),
!> complex(c_float_complex) and complex(c_double_complex), and lie contiguously in memory. The plan's arrays needn't be those of
!> the execution, but have their type and shape: an execution refuses others with status 3. A subroutine with an argument `status`
!> returns 0 or the exit code of the program flopcast for the same error, whose text flopcast_error() has; without that argument
!> an error ends the program.
module flopcast_contract
  use, intrinsic :: iso_c_binding, only: c_associated, c_char, c_double, c_double_complex, c_f_pointer, c_float, &
    c_float_complex, c_int, c_int32_t, c_int64_t, c_loc, c_null_char, c_null_funptr, c_null_ptr, c_funptr, c_ptr, c_size_t, c_sizeof
  use, intrinsic :: iso_fortran_env, only: error_unit
  implicit none
  private
  public :: flopcast_bench, flopcast_contraction, flopcast_operand, flopcast_tuning
  public :: flopcast_open, flopcast_close, flopcast_plan, flopcast_execute, flopcast_destroy
  public :: flopcast_seconds, flopcast_decided, flopcast_explain, flopcast_open_tuning, flopcast_close_tuning
  public :: flopcast_block_size, flopcast_error
  public :: flopcast_estimate, flopcast_microbench, flopcast_measure, flopcast_incremental

  integer(c_int), parameter :: f32 = 0, f64 = 1, c32 = 2, c64 = 3
  character(*), parameter :: type_names(f32:c64) = &
    [character(26) :: 'real(c_float)', 'real(c_double)', 'complex(c_float_complex)', 'complex(c_double_complex)']
  integer, parameter :: max_rank = 15

  !> Libraries, the measured machine, and what is known about it.
  type :: flopcast_bench
    private
    type(c_ptr) :: handle = c_null_ptr
  end type
  !> Tuned block sizes.
  type :: flopcast_tuning
    private
    type(c_ptr) :: handle = c_null_ptr
  end type

  !> One of several operands: flopcast_operand(array). The array has the attribute target, and must exist as long as the operand.
  type :: flopcast_operand
    private
    type(c_ptr) :: address = c_null_ptr
    integer(c_int) :: type = f64
    integer :: rank = 0
    integer(c_int64_t) :: sizes(max_rank) = 1
    logical :: contiguous = .true.
  end type
  !> A contraction that is planned, with the types and shapes of the arrays that it is planned for.
  type :: flopcast_contraction
    private
    type(c_ptr) :: handle = c_null_ptr
    type(flopcast_operand), allocatable :: operands(:)
    type(flopcast_operand) :: result
  end type

  !> Effort with which a plan is chosen: by a model, by timing tiles, by executing candidates, or by executions of the program's own,
  !> each of which tries a candidate until the fastest is known.
  integer, parameter :: flopcast_estimate = 0, flopcast_microbench = 1, flopcast_measure = 2, flopcast_incremental = 3

  integer(c_int), parameter :: bad_usage = 2, bad_input = 3
  character(*), parameter :: not_contiguous = 'an array section with gaps is no operand; pass a contiguous array'

  type, bind(c) :: bench_options
    integer(c_size_t) :: size
    type(c_ptr) :: blas = c_null_ptr, lapack = c_null_ptr, kernels = c_null_ptr
    integer(c_int32_t) :: threads = 0
    type(c_funptr) :: note = c_null_funptr, cancelled = c_null_funptr
    type(c_ptr) :: user = c_null_ptr
  end type
  type, bind(c) :: plan_options
    integer(c_size_t) :: size
    integer(c_int32_t) :: effort = 0, order = 1, threads = 0, fresh = 0
    real(c_double) :: time_budget = 0
    type(c_ptr) :: ranks = c_null_ptr
    real(c_double) :: max_bytes = 0
    type(c_ptr) :: addend = c_null_ptr, tensors = c_null_ptr
  end type

  !> Plans c = alpha a b + beta c for arrays of these shapes: call flopcast_plan(plan, bench, notation, a, b, c, effort, threads,
  !> time_budget, status), or call flopcast_plan(plan, bench, notation, operands, c, effort, threads, time_budget, max_bytes, status).
  !> Intermediates of three operands and more have max_bytes at most.
  interface flopcast_plan
    module procedure plan_s, plan_d, plan_c, plan_z, plan_many_s, plan_many_d, plan_many_c, plan_many_z
  end interface
  !> Computes c = alpha a b + beta c: call flopcast_execute(plan, a, b, c, alpha, beta, status), or call flopcast_execute(plan,
  !> operands, c, alpha, beta, status). Defaults: alpha = 1, beta = 0.
  interface flopcast_execute
    module procedure execute_s, execute_d, execute_c, execute_z, execute_many_s, execute_many_d, execute_many_c, execute_many_z
  end interface
  interface flopcast_operand
    module procedure operand_s, operand_d, operand_c, operand_z
  end interface
  interface flopcast_destroy
    module procedure destroy_plan
  end interface
  !> Returns the tuned block size of a LAPACK routine for an m x n problem, 0 if the tuning file has none.
  interface flopcast_block_size
    module procedure block_size_default, block_size_long
  end interface

  interface
    function c_open(bench, options) bind(c, name='flopcast_workbench_open') result(status)
      import :: c_ptr, c_int, bench_options
      type(c_ptr), intent(inout) :: bench
      type(bench_options), intent(in) :: options
      integer(c_int) :: status
    end function
    subroutine c_close(bench) bind(c, name='flopcast_workbench_close')
      import :: c_ptr
      type(c_ptr), value :: bench
    end subroutine
    function c_decided(plan, decided) bind(c, name='flopcast_plan_decided') result(status)
      import :: c_ptr, c_int, c_int32_t
      type(c_ptr), value :: plan
      integer(c_int32_t), intent(inout) :: decided
      integer(c_int) :: status
    end function
    function c_plan(plan, bench, notation, type, count, shapes, strides, shape_c, strides_c, options) &
        bind(c, name='flopcast_plan_einsum') result(status)
      import :: c_ptr, c_char, c_int, c_int32_t, c_int64_t, plan_options
      type(c_ptr), intent(inout) :: plan
      type(c_ptr), value :: bench, strides, strides_c
      character(kind=c_char), intent(in) :: notation(*)
      integer(c_int), value :: type
      integer(c_int32_t), value :: count
      type(c_ptr), intent(in) :: shapes(*)
      integer(c_int64_t), intent(in) :: shape_c(*)
      type(plan_options), intent(in) :: options
      integer(c_int) :: status
    end function
    function c_execute(plan, alpha, count, operands, beta, c, d) bind(c, name='flopcast_execute') result(status)
      import :: c_ptr, c_int, c_int32_t
      type(c_ptr), value :: plan, alpha, beta, c, d
      integer(c_int32_t), value :: count
      type(c_ptr), intent(in) :: operands(*)
      integer(c_int) :: status
    end function
    function c_seconds(plan, seconds) bind(c, name='flopcast_plan_seconds') result(status)
      import :: c_ptr, c_int, c_double
      type(c_ptr), value :: plan
      real(c_double), intent(out) :: seconds
      integer(c_int) :: status
    end function
    function c_explain(plan, text) bind(c, name='flopcast_plan_explain') result(status)
      import :: c_ptr, c_int
      type(c_ptr), value :: plan
      type(c_ptr), intent(inout) :: text
      integer(c_int) :: status
    end function
    subroutine c_destroy(plan) bind(c, name='flopcast_plan_destroy')
      import :: c_ptr
      type(c_ptr), value :: plan
    end subroutine
    function c_open_tuning(tuning, file) bind(c, name='flopcast_tuning_open') result(status)
      import :: c_ptr, c_int
      type(c_ptr), intent(inout) :: tuning
      type(c_ptr), value :: file
      integer(c_int) :: status
    end function
    subroutine c_close_tuning(tuning) bind(c, name='flopcast_tuning_close')
      import :: c_ptr
      type(c_ptr), value :: tuning
    end subroutine
    function c_block_size(tuning, routine, m, n, nb) bind(c, name='flopcast_tuned_block_size') result(status)
      import :: c_ptr, c_char, c_int, c_int64_t
      type(c_ptr), value :: tuning
      character(kind=c_char), intent(in) :: routine(*)
      integer(c_int64_t), value :: m, n
      integer(c_int64_t), intent(inout) :: nb
      integer(c_int) :: status
    end function
    function c_message() bind(c, name='flopcast_error_message') result(text)
      import :: c_ptr
      type(c_ptr) :: text
    end function
    subroutine c_free(text) bind(c, name='flopcast_free')
      import :: c_ptr
      type(c_ptr), value :: text
    end subroutine
    function c_length(text) bind(c, name='strlen') result(length)
      import :: c_ptr, c_size_t
      type(c_ptr), value :: text
      integer(c_size_t) :: length
    end function
  end interface

  !> Message of an error that this module finds by itself; empty: the library has the message.
  character(:), allocatable :: own_message

contains

  !> Makes a workbench. `blas` and `lapack` are names or paths of libraries.
  subroutine flopcast_open(bench, blas, lapack, threads, status)
    type(flopcast_bench), intent(inout) :: bench
    character(*), intent(in), optional :: blas, lapack
    integer, intent(in), optional :: threads
    integer, intent(out), optional :: status
    character(kind=c_char), allocatable, target :: blas_text(:), lapack_text(:)
    type(bench_options) :: options
    type(flopcast_bench) :: opened
    integer(c_int) :: code
    options%size = c_sizeof(options)
    if (present(blas)) then
      allocate (blas_text, source=letters(blas))
      options%blas = c_loc(blas_text)
    end if
    if (present(lapack)) then
      allocate (lapack_text, source=letters(lapack))
      options%lapack = c_loc(lapack_text)
    end if
    if (present(threads)) options%threads = int(threads, c_int32_t)
    code = c_open(opened%handle, options)
    if (code == 0) then
      call flopcast_close(bench)
      bench = opened
    end if
    call finish(code, status)
  end subroutine

  !> Ends a workbench. Plans that were made with it go on.
  subroutine flopcast_close(bench)
    type(flopcast_bench), intent(inout) :: bench
    call c_close(bench%handle)
    bench%handle = c_null_ptr
  end subroutine

  subroutine plan_s(plan, bench, notation, a, b, c, effort, threads, time_budget, status)
    type(flopcast_contraction), intent(inout) :: plan
    type(flopcast_bench), intent(in) :: bench
    character(*), intent(in) :: notation
    real(c_float), intent(in) :: a(..), b(..), c(..)
    integer, intent(in), optional :: effort, threads
    real(c_double), intent(in), optional :: time_budget
    integer, intent(out), optional :: status
    call plan_many_s(plan, bench, notation, [flopcast_operand(a), flopcast_operand(b)], c, effort, threads, time_budget, &
      status=status)
  end subroutine

  subroutine plan_d(plan, bench, notation, a, b, c, effort, threads, time_budget, status)
    type(flopcast_contraction), intent(inout) :: plan
    type(flopcast_bench), intent(in) :: bench
    character(*), intent(in) :: notation
    real(c_double), intent(in) :: a(..), b(..), c(..)
    integer, intent(in), optional :: effort, threads
    real(c_double), intent(in), optional :: time_budget
    integer, intent(out), optional :: status
    call plan_many_d(plan, bench, notation, [flopcast_operand(a), flopcast_operand(b)], c, effort, threads, time_budget, &
      status=status)
  end subroutine

  subroutine plan_c(plan, bench, notation, a, b, c, effort, threads, time_budget, status)
    type(flopcast_contraction), intent(inout) :: plan
    type(flopcast_bench), intent(in) :: bench
    character(*), intent(in) :: notation
    complex(c_float_complex), intent(in) :: a(..), b(..), c(..)
    integer, intent(in), optional :: effort, threads
    real(c_double), intent(in), optional :: time_budget
    integer, intent(out), optional :: status
    call plan_many_c(plan, bench, notation, [flopcast_operand(a), flopcast_operand(b)], c, effort, threads, time_budget, &
      status=status)
  end subroutine

  subroutine plan_z(plan, bench, notation, a, b, c, effort, threads, time_budget, status)
    type(flopcast_contraction), intent(inout) :: plan
    type(flopcast_bench), intent(in) :: bench
    character(*), intent(in) :: notation
    complex(c_double_complex), intent(in) :: a(..), b(..), c(..)
    integer, intent(in), optional :: effort, threads
    real(c_double), intent(in), optional :: time_budget
    integer, intent(out), optional :: status
    call plan_many_z(plan, bench, notation, [flopcast_operand(a), flopcast_operand(b)], c, effort, threads, time_budget, &
      status=status)
  end subroutine

  subroutine execute_s(plan, a, b, c, alpha, beta, status)
    type(flopcast_contraction), intent(in) :: plan
    real(c_float), intent(in), target :: a(..), b(..)
    real(c_float), intent(inout) :: c(..)
    real(c_float), intent(in), optional :: alpha, beta
    integer, intent(out), optional :: status
    call execute_many_s(plan, [flopcast_operand(a), flopcast_operand(b)], c, alpha, beta, status)
  end subroutine

  subroutine execute_d(plan, a, b, c, alpha, beta, status)
    type(flopcast_contraction), intent(in) :: plan
    real(c_double), intent(in), target :: a(..), b(..)
    real(c_double), intent(inout) :: c(..)
    real(c_double), intent(in), optional :: alpha, beta
    integer, intent(out), optional :: status
    call execute_many_d(plan, [flopcast_operand(a), flopcast_operand(b)], c, alpha, beta, status)
  end subroutine

  subroutine execute_c(plan, a, b, c, alpha, beta, status)
    type(flopcast_contraction), intent(in) :: plan
    complex(c_float_complex), intent(in), target :: a(..), b(..)
    complex(c_float_complex), intent(inout) :: c(..)
    complex(c_float_complex), intent(in), optional :: alpha, beta
    integer, intent(out), optional :: status
    call execute_many_c(plan, [flopcast_operand(a), flopcast_operand(b)], c, alpha, beta, status)
  end subroutine

  subroutine execute_z(plan, a, b, c, alpha, beta, status)
    type(flopcast_contraction), intent(in) :: plan
    complex(c_double_complex), intent(in), target :: a(..), b(..)
    complex(c_double_complex), intent(inout) :: c(..)
    complex(c_double_complex), intent(in), optional :: alpha, beta
    integer, intent(out), optional :: status
    call execute_many_z(plan, [flopcast_operand(a), flopcast_operand(b)], c, alpha, beta, status)
  end subroutine

  function operand_s(array) result(operand)
    real(c_float), intent(in), target :: array(..)
    type(flopcast_operand) :: operand
    operand = new_operand(c_loc(array), f32, shape(array), is_contiguous(array))
  end function

  function operand_d(array) result(operand)
    real(c_double), intent(in), target :: array(..)
    type(flopcast_operand) :: operand
    operand = new_operand(c_loc(array), f64, shape(array), is_contiguous(array))
  end function

  function operand_c(array) result(operand)
    complex(c_float_complex), intent(in), target :: array(..)
    type(flopcast_operand) :: operand
    operand = new_operand(c_loc(array), c32, shape(array), is_contiguous(array))
  end function

  function operand_z(array) result(operand)
    complex(c_double_complex), intent(in), target :: array(..)
    type(flopcast_operand) :: operand
    operand = new_operand(c_loc(array), c64, shape(array), is_contiguous(array))
  end function

  subroutine plan_many_s(plan, bench, notation, operands, c, effort, threads, time_budget, max_bytes, status)
    type(flopcast_contraction), intent(inout) :: plan
    type(flopcast_bench), intent(in) :: bench
    character(*), intent(in) :: notation
    type(flopcast_operand), intent(in) :: operands(:)
    real(c_float), intent(in) :: c(..)
    integer, intent(in), optional :: effort, threads
    real(c_double), intent(in), optional :: time_budget, max_bytes
    integer, intent(out), optional :: status
    call plan_many(plan, bench, notation, operands, flopcast_operand(c), effort, threads, time_budget, max_bytes, status)
  end subroutine

  subroutine plan_many_d(plan, bench, notation, operands, c, effort, threads, time_budget, max_bytes, status)
    type(flopcast_contraction), intent(inout) :: plan
    type(flopcast_bench), intent(in) :: bench
    character(*), intent(in) :: notation
    type(flopcast_operand), intent(in) :: operands(:)
    real(c_double), intent(in) :: c(..)
    integer, intent(in), optional :: effort, threads
    real(c_double), intent(in), optional :: time_budget, max_bytes
    integer, intent(out), optional :: status
    call plan_many(plan, bench, notation, operands, flopcast_operand(c), effort, threads, time_budget, max_bytes, status)
  end subroutine

  subroutine plan_many_c(plan, bench, notation, operands, c, effort, threads, time_budget, max_bytes, status)
    type(flopcast_contraction), intent(inout) :: plan
    type(flopcast_bench), intent(in) :: bench
    character(*), intent(in) :: notation
    type(flopcast_operand), intent(in) :: operands(:)
    complex(c_float_complex), intent(in) :: c(..)
    integer, intent(in), optional :: effort, threads
    real(c_double), intent(in), optional :: time_budget, max_bytes
    integer, intent(out), optional :: status
    call plan_many(plan, bench, notation, operands, flopcast_operand(c), effort, threads, time_budget, max_bytes, status)
  end subroutine

  subroutine plan_many_z(plan, bench, notation, operands, c, effort, threads, time_budget, max_bytes, status)
    type(flopcast_contraction), intent(inout) :: plan
    type(flopcast_bench), intent(in) :: bench
    character(*), intent(in) :: notation
    type(flopcast_operand), intent(in) :: operands(:)
    complex(c_double_complex), intent(in) :: c(..)
    integer, intent(in), optional :: effort, threads
    real(c_double), intent(in), optional :: time_budget, max_bytes
    integer, intent(out), optional :: status
    call plan_many(plan, bench, notation, operands, flopcast_operand(c), effort, threads, time_budget, max_bytes, status)
  end subroutine

  subroutine execute_many_s(plan, operands, c, alpha, beta, status)
    type(flopcast_contraction), intent(in) :: plan
    type(flopcast_operand), intent(in) :: operands(:)
    real(c_float), intent(inout), target :: c(..)
    real(c_float), intent(in), optional, target :: alpha, beta
    integer, intent(out), optional :: status
    type(c_ptr) :: scale, keep
    scale = c_null_ptr
    keep = c_null_ptr
    if (present(alpha)) scale = c_loc(alpha)
    if (present(beta)) keep = c_loc(beta)
    call execute_many(plan, scale, operands, keep, flopcast_operand(c), status)
  end subroutine

  subroutine execute_many_d(plan, operands, c, alpha, beta, status)
    type(flopcast_contraction), intent(in) :: plan
    type(flopcast_operand), intent(in) :: operands(:)
    real(c_double), intent(inout), target :: c(..)
    real(c_double), intent(in), optional, target :: alpha, beta
    integer, intent(out), optional :: status
    type(c_ptr) :: scale, keep
    scale = c_null_ptr
    keep = c_null_ptr
    if (present(alpha)) scale = c_loc(alpha)
    if (present(beta)) keep = c_loc(beta)
    call execute_many(plan, scale, operands, keep, flopcast_operand(c), status)
  end subroutine

  subroutine execute_many_c(plan, operands, c, alpha, beta, status)
    type(flopcast_contraction), intent(in) :: plan
    type(flopcast_operand), intent(in) :: operands(:)
    complex(c_float_complex), intent(inout), target :: c(..)
    complex(c_float_complex), intent(in), optional, target :: alpha, beta
    integer, intent(out), optional :: status
    type(c_ptr) :: scale, keep
    scale = c_null_ptr
    keep = c_null_ptr
    if (present(alpha)) scale = c_loc(alpha)
    if (present(beta)) keep = c_loc(beta)
    call execute_many(plan, scale, operands, keep, flopcast_operand(c), status)
  end subroutine

  subroutine execute_many_z(plan, operands, c, alpha, beta, status)
    type(flopcast_contraction), intent(in) :: plan
    type(flopcast_operand), intent(in) :: operands(:)
    complex(c_double_complex), intent(inout), target :: c(..)
    complex(c_double_complex), intent(in), optional, target :: alpha, beta
    integer, intent(out), optional :: status
    type(c_ptr) :: scale, keep
    scale = c_null_ptr
    keep = c_null_ptr
    if (present(alpha)) scale = c_loc(alpha)
    if (present(beta)) keep = c_loc(beta)
    call execute_many(plan, scale, operands, keep, flopcast_operand(c), status)
  end subroutine

  subroutine destroy_plan(plan)
    type(flopcast_contraction), intent(inout) :: plan
    call c_destroy(plan%handle)
    plan%handle = c_null_ptr
    if (allocated(plan%operands)) deallocate (plan%operands)
  end subroutine

  !> Returns the expected time of an execution in seconds, a negative number if there is no plan.
  real(c_double) function flopcast_seconds(plan)
    type(flopcast_contraction), intent(in) :: plan
    if (c_seconds(plan%handle, flopcast_seconds) /= 0) flopcast_seconds = -1
  end function

  !> Returns whether the choice is final. While executions of an incremental plan try candidates, or without a plan, the answer is no.
  logical function flopcast_decided(plan)
    type(flopcast_contraction), intent(in) :: plan
    integer(c_int32_t) :: decided
    decided = 0
    if (c_decided(plan%handle, decided) /= 0) decided = 0
    flopcast_decided = decided /= 0
  end function

  !> Returns several lines on the choice, its reason and other candidates.
  function flopcast_explain(plan) result(text)
    type(flopcast_contraction), intent(in) :: plan
    character(:), allocatable :: text
    type(c_ptr) :: made
    made = c_null_ptr
    text = ''
    if (c_explain(plan%handle, made) == 0) then
      text = text_of(made)
      call c_free(made)
    end if
  end function

  !> Reads tuned block sizes from a file; without one from that of 'flopcast tune --save'.
  subroutine flopcast_open_tuning(tuning, file, status)
    type(flopcast_tuning), intent(inout) :: tuning
    character(*), intent(in), optional :: file
    integer, intent(out), optional :: status
    character(kind=c_char), allocatable, target :: name(:)
    type(c_ptr) :: place
    type(flopcast_tuning) :: opened
    integer(c_int) :: code
    place = c_null_ptr
    if (present(file)) then
      allocate (name, source=letters(file))
      place = c_loc(name)
    end if
    code = c_open_tuning(opened%handle, place)
    if (code == 0) then
      call flopcast_close_tuning(tuning)
      tuning = opened
    end if
    call finish(code, status)
  end subroutine

  subroutine flopcast_close_tuning(tuning)
    type(flopcast_tuning), intent(inout) :: tuning
    call c_close_tuning(tuning%handle)
    tuning%handle = c_null_ptr
  end subroutine

  integer(c_int64_t) function block_size_long(tuning, routine, m, n)
    type(flopcast_tuning), intent(in) :: tuning
    character(*), intent(in) :: routine
    integer(c_int64_t), intent(in) :: m, n
    block_size_long = 0
    if (c_block_size(tuning%handle, letters(routine), m, n, block_size_long) /= 0) block_size_long = 0
  end function

  integer(c_int) function block_size_default(tuning, routine, m, n)
    type(flopcast_tuning), intent(in) :: tuning
    character(*), intent(in) :: routine
    integer(c_int), intent(in) :: m, n
    block_size_default = int(block_size_long(tuning, routine, int(m, c_int64_t), int(n, c_int64_t)), c_int)
  end function

  !> Returns the message of the last error: problem, reason, remedy.
  function flopcast_error() result(text)
    character(:), allocatable :: text
    if (allocated(own_message)) then
      text = own_message
    else
      text = text_of(c_message())
    end if
  end function

  function new_operand(address, type, extents, contiguous) result(operand)
    type(c_ptr), intent(in) :: address
    integer(c_int), intent(in) :: type
    integer, intent(in) :: extents(:)
    logical, intent(in) :: contiguous
    type(flopcast_operand) :: operand
    operand%address = address
    operand%type = type
    operand%rank = size(extents)
    operand%sizes(:size(extents)) = sizes(extents)
    operand%contiguous = contiguous
  end function

  function options_of(effort, threads, time_budget, max_bytes) result(options)
    integer, intent(in), optional :: effort, threads
    real(c_double), intent(in), optional :: time_budget, max_bytes
    type(plan_options) :: options
    options%size = c_sizeof(options)
    if (present(effort)) options%effort = int(effort, c_int32_t)
    if (present(threads)) options%threads = int(threads, c_int32_t)
    if (present(time_budget)) options%time_budget = time_budget
    if (present(max_bytes)) options%max_bytes = max_bytes
  end function

  !> Returns which of the arrays has another type or shape than the plan's, and the difference; an empty text if all of them fit.
  !> The library itself refuses a plan that wasn't made, and another number of operands.
  function misfit(plan, operands, c) result(fault)
    type(flopcast_contraction), intent(in) :: plan
    type(flopcast_operand), intent(in) :: operands(:), c
    character(:), allocatable :: fault
    character(20) :: number
    integer :: i
    fault = ''
    if (.not. allocated(plan%operands)) return
    do i = 1, min(size(operands), size(plan%operands))
      write (number, '(i0)') i
      if (size(plan%operands) <= 2) then
        fault = difference(achar(iachar('A') + i - 1), operands(i), plan%operands(i))
      else
        fault = difference('operand '//trim(number), operands(i), plan%operands(i))
      end if
      if (fault /= '') return
    end do
    fault = difference('C', c, plan%result)
  end function

  function difference(name, given, planned) result(fault)
    character(*), intent(in) :: name
    type(flopcast_operand), intent(in) :: given, planned
    character(:), allocatable :: fault
    fault = ''
    if (given%type /= planned%type) then
      fault = name//' has the type '//trim(type_names(given%type))//', but the plan is for '//trim(type_names(planned%type))
    else if (given%rank /= planned%rank .or. any(given%sizes /= planned%sizes)) then
      fault = name//' has the shape '//shape_text(given)//', but the plan is for '//shape_text(planned)
    end if
    if (fault /= '') fault = fault//'; make a plan for arrays like these'
  end function

  !> Returns "(3, 4)".
  function shape_text(operand) result(text)
    type(flopcast_operand), intent(in) :: operand
    character(:), allocatable :: text
    character(20) :: number
    integer :: i
    text = '('
    do i = 1, operand%rank
      write (number, '(i0)') operand%sizes(i)
      if (i > 1) text = text//', '
      text = text//trim(number)
    end do
    text = text//')'
  end function

  subroutine plan_many(plan, bench, notation, operands, c, effort, threads, time_budget, max_bytes, status)
    type(flopcast_contraction), intent(inout) :: plan
    type(flopcast_bench), intent(in) :: bench
    character(*), intent(in) :: notation
    type(flopcast_operand), intent(in) :: operands(:), c
    integer, intent(in), optional :: effort, threads
    real(c_double), intent(in), optional :: time_budget, max_bytes
    integer, intent(out), optional :: status
    type(flopcast_operand), allocatable, target :: kept(:)
    type(c_ptr), allocatable :: shapes(:)
    integer(c_int32_t), allocatable, target :: ranks(:)
    type(plan_options) :: options
    type(c_ptr) :: made
    integer(c_int) :: code
    integer :: i
    if (any(operands%type /= c%type)) then
      call finish(bad_usage, status, 'operands and result have different types of elements; all need the same')
      return
    end if
    if (.not. (all(operands%contiguous) .and. c%contiguous)) then
      call finish(bad_usage, status, not_contiguous)
      return
    end if
    allocate (kept, source=operands)
    allocate (shapes(size(kept)), ranks(size(kept) + 1))
    do i = 1, size(kept)
      shapes(i) = c_loc(kept(i)%sizes)
      ranks(i) = int(kept(i)%rank, c_int32_t)
    end do
    ranks(size(ranks)) = int(c%rank, c_int32_t)
    options = options_of(effort, threads, time_budget, max_bytes)
    options%ranks = c_loc(ranks)
    made = c_null_ptr
    code = c_plan(made, bench%handle, letters(notation), c%type, size(kept, kind=c_int32_t), shapes, c_null_ptr, c%sizes, &
      c_null_ptr, options)
    if (code == 0) then
      call destroy_plan(plan)
      plan%handle = made
      call move_alloc(kept, plan%operands)
      plan%result = c
    end if
    call finish(code, status)
  end subroutine

  subroutine execute_many(plan, alpha, operands, beta, c, status)
    type(flopcast_contraction), intent(in) :: plan
    type(c_ptr), intent(in) :: alpha, beta
    type(flopcast_operand), intent(in) :: operands(:), c
    integer, intent(out), optional :: status
    integer(c_int) :: code
    character(:), allocatable :: fault
    if (.not. (all(operands%contiguous) .and. c%contiguous)) then
      call finish(bad_usage, status, not_contiguous)
      return
    end if
    fault = ''
    if (allocated(plan%operands)) then
      if (size(operands) == size(plan%operands)) fault = misfit(plan, operands, c)
    end if
    code = bad_input
    if (fault == '') then
      code = c_execute(plan%handle, alpha, size(operands, kind=c_int32_t), operands%address, beta, c%address, c%address)
    end if
    call finish(code, status, fault)
  end subroutine

  !> Hands the status to the caller, or ends the program for an error that nobody asks for.
  subroutine finish(code, status, message)
    integer(c_int), intent(in) :: code
    integer, intent(out), optional :: status
    character(*), intent(in), optional :: message  !< empty: the library's
    if (allocated(own_message)) deallocate (own_message)
    if (code /= 0 .and. present(message)) then
      if (message /= '') own_message = message
    end if
    if (present(status)) then
      status = code
    else if (code /= 0) then
      write (error_unit, '(a)') 'flopcast: '//flopcast_error()
      error stop 1
    end if
  end subroutine

  pure function sizes(extents)
    integer, intent(in) :: extents(:)
    integer(c_int64_t) :: sizes(size(extents))
    sizes = int(extents, c_int64_t)
  end function

  !> Returns a text as C has it.
  pure function letters(text)
    character(*), intent(in) :: text
    character(kind=c_char) :: letters(len_trim(text) + 1)
    integer :: i
    do i = 1, len_trim(text)
      letters(i) = text(i:i)
    end do
    letters(len_trim(text) + 1) = c_null_char
  end function

  function text_of(pointer) result(text)
    type(c_ptr), intent(in) :: pointer
    character(:), allocatable :: text
    character(kind=c_char), pointer :: all(:)
    integer :: i
    text = ''
    if (.not. c_associated(pointer)) return
    call c_f_pointer(pointer, all, [c_length(pointer)])
    text = repeat(' ', size(all))
    do i = 1, size(all)
      text(i:i) = all(i)
    end do
  end function
end module
