#pragma once

#include "flopcast/machine/libraries/library.hpp"
#include "flopcast/measure/backend.hpp"

namespace flopcast::measure {

/// Returns a backend with the routines of `libraries` and the clocks of this machine. The CPU clock counts the whole process, so that it
/// adds up over threads.
Backend system_backend(const machine::LibrarySet& libraries);

}  // namespace flopcast::measure
