#pragma once

#include <link.h>

#include <atomic>

namespace flopcast::interpose {

/// The loaded object that an address lies in; nullptr if it is in none.
const link_map* object_of(const void* address) noexcept;

/// The definition of `name` that this library hides from its callers: the next in the order of the loader, else the one in the library that
/// `caller` (a return address) lies in or in what that library needs (programs that open LAPACK privately, as NumPy does), else any.
/// nullptr if there is none.
void* next_symbol(const char* name, const void* caller) noexcept;

/// From now on next_symbol looks before anything else in what `opened`, a handle of dlopen, and the libraries that it needs define: for
/// programs that are opened at run time with libraries of their own.
void look_first_in(void* opened) noexcept;

/// What next_symbol finds of a routine that the program calls; if nothing defines it, this is said and the process ended, as the dynamic linker does it.
void* required_symbol(const char* name, const void* caller) noexcept;
/// The same, looked for once: `found` keeps it.
inline void* required_symbol(std::atomic<void*>& found, const char* name, const void* caller) noexcept {
  void* symbol = found.load(std::memory_order_relaxed);
  if (symbol == nullptr) {
    symbol = required_symbol(name, caller);
    found.store(symbol, std::memory_order_relaxed);
  }
  return symbol;
}

/// Some definition of `name` in a loaded object other than this library, those that the whole program sees first; nullptr if there is none.
void* any_definition(const char* name) noexcept;

}  // namespace flopcast::interpose
