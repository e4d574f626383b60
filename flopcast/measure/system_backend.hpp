#pragma once

#include "flopcast/machine/library.hpp"
#include "flopcast/measure/backend.hpp"

namespace flopcast::measure {

/// The routines of `libraries` and this machine's clocks. The CPU clock is that of the whole process, so that it adds up over threads.
Backend system_backend(const machine::LibrarySet& libraries);

}  // namespace flopcast::measure
