!> Regions of a Fortran program's own code for `flopcast mpi`: regions.h says what the procedures do. Compile this file with the program and link libflopcast_regions.a;
!> without flopcast around it the program runs as if none of this were there.
!>
!>   if (flopcast_kernel('block_to_cyclic', [m, n])) then   ! false: its time is known, and it is left out
!>     ...
!>     call flopcast_end()
!>   end if
module flopcast
  use, intrinsic :: iso_c_binding, only: c_char, c_int, c_int64_t, c_null_char
  implicit none
  private
  public :: flopcast_kernel, flopcast_begin, flopcast_end, flopcast_start, flopcast_stop, flopcast_reset

  !> Sizes are default or 64-bit integers, at most 8 of them, or none.
  interface flopcast_kernel
    module procedure kernel_none, kernel_default, kernel_long
  end interface
  interface flopcast_begin
    module procedure begin_none, begin_default, begin_long
  end interface

  interface
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
end module
