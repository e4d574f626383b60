#pragma once

#include "flopcast/preload/mpi/call_gate.hpp"

/// Names of MPI's functions with the prefix PMPI_. This library defines them too, in front of MPI, because programs and libraries may call
/// some processes' part of a communication by these names. The bindings of Fortran and C++ call them as well.
namespace flopcast::preload::mpi {

/// Returns the definition of `name` behind this library, which is MPI's.
void* address_in_mpi(const char* name) noexcept;

template <class Function>
Function* function_of_mpi(const char* name) noexcept {
  return reinterpret_cast<Function*>(address_in_mpi(name));
}

/// Returns whether `caller` (a return address) is in the program or a binding, and not in this library or MPI.
bool is_outside_mpi(const void* caller) noexcept;
/// Returns whether a call of a function with the prefix, which returns to `caller`, comes from the program or a binding. The library's
/// function without the prefix then takes the call. Calls by this library and by MPI itself go on to MPI.
inline bool is_called_in_place_of_mpi(const void* caller) noexcept { return !CallGate::is_in_function() && is_outside_mpi(caller); }

/// Returns this library's function `name` in place of MPI's, whose address `function` the program has asked for; nullptr for other
/// functions.
void* in_place_of_mpi(const char* name, void* function) noexcept;

/// Returns whether the program passes by this library's names without the prefix. It does so if it has called functions by names with the
/// prefix, other than through a binding, or has asked for addresses in MPI's library.
bool names_are_passed_by() noexcept;

}  // namespace flopcast::preload::mpi
