#pragma once

namespace flopcast::interpose {

/// The definition of `name` that this library hides from its callers: the next in the order of the loader, else the one in the library that `caller` (a return
/// address) lies in or in what that library needs (programs that open LAPACK privately, as NumPy does). nullptr if there is none.
void* next_symbol(const char* name, const void* caller) noexcept;

}  // namespace flopcast::interpose
