#pragma once

#include <string>

namespace flopcast::preload::mpi {

/// Returns the place of a call by its return address: `solve (libsolver.so+0x11d2)`, or `app+0x11d2` where the function has no exported
/// name. addr2line takes the file and the number. Returns an empty text for calls by flopcast or by MPI's binding of another language.
std::string call_site(const void* return_address);

}  // namespace flopcast::preload::mpi
