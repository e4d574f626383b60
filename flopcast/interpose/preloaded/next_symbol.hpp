#pragma once

#include <link.h>

namespace flopcast::interpose {

/// The loaded object that an address lies in; nullptr if it is in none.
const link_map* object_of(const void* address) noexcept;

/// The definition of `name` that this library hides from its callers: the next in the order of the loader, else the one in the library that
/// `caller` (a return address) lies in or in what that library needs (programs that open LAPACK privately, as NumPy does), else any.
/// nullptr if there is none.
void* next_symbol(const char* name, const void* caller) noexcept;

/// The same of a routine that the program calls; if nothing defines it, this is said and the process ended, as the dynamic linker does it.
void* required_symbol(const char* name, const void* caller) noexcept;

/// Some definition of `name` in a loaded object other than this library, those that the whole program sees first; nullptr if there is none.
void* any_definition(const char* name) noexcept;

}  // namespace flopcast::interpose
