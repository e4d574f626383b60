#pragma once

#include <atomic>
#include <cstddef>

#include "flopcast/core/routine_symbol.hpp"
#include "flopcast/interpose/preloaded/redirect.hpp"

/// Calls of the catalogue's routines that the libraries for MPI programs intercept: where they go on, and how wide their integers are.
namespace flopcast::interpose {

/// Symbols of the library's functions of CBLAS; the generator of the stubs writes them.
extern const char* const c_stubs[];
extern const std::size_t c_stub_count;

/// Returns the symbol of the library's function for a routine ("dgemm_", "cblas_dgemm"); nullptr if it has none.
const char* followed_symbol(const RoutineSymbol& routine) noexcept;

/// Returns the bytes of the integers that a call of catalogue routine number `routine` passes, found out once for each library. The call came
/// through `door`, or from `caller` by the usual name if `door` is nullptr. Returns 4 if no library has the routine in Fortran.
int integer_bytes_of_call(std::size_t routine, Redirected* door, const void* caller) noexcept;

/// Returns the library's own function for such a call by Fortran's interface. Ends the process if no library defines the routine.
void* definition_of_call(std::size_t routine, const Redirected* door, const void* caller) noexcept;

/// The same for a call by CBLAS's interface. `symbol` is the usual name; `usual` keeps its definition.
void* definition_of_c_call(const Redirected* door, std::atomic<void*>& usual, const char* symbol, const void* caller) noexcept;

}  // namespace flopcast::interpose
