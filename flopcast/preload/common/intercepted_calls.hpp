#pragma once

#include <cstddef>

#include "flopcast/core/routine.hpp"
#include "flopcast/preload/common/redirect.hpp"

/// Finds the functions to which calls of the catalogue's routines are forwarded, and the width of their integers, for the libraries that
/// trace MPI programs.
namespace flopcast::preload {

/// Symbols of the library's CBLAS functions, written by the generator of the stubs.
extern const char* const c_stubs[];
extern const std::size_t c_stub_count;

/// Returns the symbol of the library's function for a routine ("dgemm_", "cblas_dgemm"); nullptr if it has none.
const char* intercepted_symbol(const RoutineSymbol& routine) noexcept;

/// Returns the bytes of the integers in a call of catalogue routine number `routine`, determined once for each library, or for each call
/// site where the library depends on the caller. The call came through `trampoline` or, if `trampoline` is nullptr, from `caller` by the
/// usual name. Returns 4 if no library has the routine in Fortran's interface.
int integer_bytes_of_call(std::size_t routine, Redirected* trampoline, const void* caller) noexcept;

/// Returns the library's own function for such a call in Fortran's interface. Ends the process if no library defines the routine.
void* definition_of_call(std::size_t routine, const Redirected* trampoline, const void* caller) noexcept;

/// Returns the library's own function for such a call of number `function` of c_stubs in CBLAS's interface.
void* definition_of_c_call(std::size_t function, const Redirected* trampoline, const void* caller) noexcept;

}  // namespace flopcast::preload
