!> Regions of a Fortran program's own code for `flopcast mpi`. regions.h describes the procedures. Compile this file
!> with the program and link libflopcast_regions.a. Without flopcast the program runs as if it had no regions.
!>
!>   if (flopcast_kernel('block_to_cyclic', [m, n])) then   ! false: its time is known, and the region is skipped
!>     ...
!>     call flopcast_end()
!>   end if
module flopcast
  use, intrinsic :: iso_c_binding, &
    only: c_associated, c_char, c_f_pointer, c_int, c_int64_t, c_null_char, c_null_ptr, c_ptr, c_size_t
  implicit none
  private
  public :: flopcast_kernel, flopcast_begin, flopcast_end, flopcast_start, flopcast_stop, flopcast_reset
  public :: flopcast_next_configuration, flopcast_parameter

  !> Sizes are at most 8 default or 64-bit integers.
  interface flopcast_kernel
    module procedure kernel_none, kernel_default, kernel_long
  end interface
  interface flopcast_begin
    module procedure begin_none, begin_default, begin_long
  end interface

  !> Returns the current configuration's value of a parameter, or the value given otherwise. Values are integers of
  !> either kind or texts; a text has the length of the value.
  interface flopcast_parameter
    module procedure parameter_default, parameter_long, parameter_text
  end interface

  interface
    function c_next() bind(c, name='flopcast_next_configuration') result(another)
      import :: c_int
      integer(c_int) :: another
    end function
    function c_integer(name, otherwise) bind(c, name='flopcast_integer_parameter') result(value)
      import :: c_char, c_int64_t
      character(kind=c_char), intent(in) :: name(*)
      integer(c_int64_t), value :: otherwise
      integer(c_int64_t) :: value
    end function
    function c_text(name, otherwise) bind(c, name='flopcast_parameter') result(text)
      import :: c_char, c_ptr
      character(kind=c_char), intent(in) :: name(*)
      type(c_ptr), value :: otherwise
      type(c_ptr) :: text
    end function
    function c_length(text) bind(c, name='strlen') result(length)
      import :: c_ptr, c_size_t
      type(c_ptr), value :: text
      integer(c_size_t) :: length
    end function
    function c_kernel(name, count, sizes) bind(c, name='flopcast_kernel') result(execute)
      import :: c_char, c_int, c_int64_t
      character(kind=c_char), intent(in) :: name(*)
      integer(c_int), value :: count
      integer(c_int64_t), intent(in) :: sizes(*)
      integer(c_int) :: execute
    end function
    subroutine c_begin(name, count, sizes) bind(c, name='flopcast_begin')
      import :: c_char, c_int, c_int64_t
      character(kind=c_char), intent(in) :: name(*)
      integer(c_int), value :: count
      integer(c_int64_t), intent(in) :: sizes(*)
    end subroutine
    subroutine flopcast_end() bind(c, name='flopcast_end')
    end subroutine
    subroutine flopcast_start() bind(c, name='flopcast_start')
    end subroutine
    subroutine flopcast_stop() bind(c, name='flopcast_stop')
    end subroutine
    subroutine flopcast_reset() bind(c, name='flopcast_reset')
    end subroutine
  end interface

contains

  logical function kernel_long(name, sizes)
    character(*), intent(in) :: name
    integer(c_int64_t), intent(in) :: sizes(:)
    kernel_long = c_kernel(trim(name)//c_null_char, size(sizes), sizes) /= 0
  end function

  logical function kernel_default(name, sizes)
    character(*), intent(in) :: name
    integer(c_int), intent(in) :: sizes(:)
    kernel_default = kernel_long(name, int(sizes, c_int64_t))
  end function

  logical function kernel_none(name)
    character(*), intent(in) :: name
    kernel_none = kernel_long(name, [integer(c_int64_t) ::])
  end function

  subroutine begin_long(name, sizes)
    character(*), intent(in) :: name
    integer(c_int64_t), intent(in) :: sizes(:)
    call c_begin(trim(name)//c_null_char, size(sizes), sizes)
  end subroutine

  subroutine begin_default(name, sizes)
    character(*), intent(in) :: name
    integer(c_int), intent(in) :: sizes(:)
    call begin_long(name, int(sizes, c_int64_t))
  end subroutine

  subroutine begin_none(name)
    character(*), intent(in) :: name
    call begin_long(name, [integer(c_int64_t) ::])
  end subroutine

  !> True if there is another configuration to run: do while (flopcast_next_configuration()).
  logical function flopcast_next_configuration()
    flopcast_next_configuration = c_next() /= 0
  end function

  integer(c_int64_t) function parameter_long(name, otherwise)
    character(*), intent(in) :: name
    integer(c_int64_t), intent(in) :: otherwise
    parameter_long = c_integer(trim(name)//c_null_char, otherwise)
  end function

  integer(c_int) function parameter_default(name, otherwise)
    character(*), intent(in) :: name
    integer(c_int), intent(in) :: otherwise
    parameter_default = int(parameter_long(name, int(otherwise, c_int64_t)), c_int)
  end function

  function parameter_text(name, otherwise) result(value)
    character(*), intent(in) :: name, otherwise
    character(:), allocatable :: value
    character(kind=c_char), pointer :: letters(:)
    type(c_ptr) :: text
    integer :: i
    text = c_text(trim(name)//c_null_char, c_null_ptr)
    value = otherwise
    if (.not. c_associated(text)) return
    call c_f_pointer(text, letters, [c_length(text)])
    value = repeat(' ', size(letters))
    do i = 1, size(letters)
      value(i:i) = letters(i)
    end do
  end function
end module
