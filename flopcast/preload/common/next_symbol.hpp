#pragma once

#include <link.h>

#include <atomic>
#include <string_view>

#include "flopcast/core/routine.hpp"

namespace flopcast::preload {

/// Returns the loaded object that contains an address; nullptr if none does.
const link_map* object_of(const void* address) noexcept;

/// The definition of a symbol that a preloaded library hides from its callers.
struct NextSymbol {
  void* address = nullptr;  ///< nullptr: no library defines the symbol
  bool for_all = false;     ///< the definition is the same for all callers
};

/// Returns the definition of `name` that this library hides from its callers: the next in the loader's order, for all callers. If there is
/// none, returns the definition in the library that contains `caller` (a return address) or in its dependencies, as needed for programs
/// that open LAPACK privately (NumPy). Otherwise returns any definition.
NextSymbol next_symbol(const char* name, const void* caller) noexcept;

/// Makes next_symbol() look first in `opened`, a handle of dlopen, and its dependencies. This is for programs that are opened at run time
/// with libraries of their own.
void look_first_in(void* opened) noexcept;

/// Returns next_symbol() for a routine that the program calls. If no library defines it, prints so and ends the process, as the dynamic
/// linker does.
NextSymbol required_symbol(const char* name, const void* caller) noexcept;

/// Returns some definition of `name` in a loaded object other than this library, preferably one visible to the whole program; nullptr if
/// there is none.
void* any_definition(const char* name) noexcept;

/// Returns any_definition() of a Fortran routine under any of its names ("dgemm": dgemm_, scipy_dgemm_64_). Only names that end in a
/// suffix count.
void* any_routine(std::string_view routine) noexcept;

/// Returns the program's own definition of a Fortran routine ("dgemm"): the one behind its usual name, else any_routine().
void* routine_of_program(std::string_view routine) noexcept;

/// Returns the bytes of the integers that the routine at `definition` takes, as its library's functions show, else as its name suggests.
/// Calls functions of that library.
int integer_bytes_at(const void* definition, const RoutineSymbol& name) noexcept;

}  // namespace flopcast::preload
