#pragma once

#include "flopcast/machine/libraries/library.hpp"
#include "flopcast/measure/session_services.hpp"

namespace flopcast::measure {

/// Returns a services with the routines of `libraries` and the clocks of this machine. The CPU clock counts the whole process, so that it
/// adds up over threads.
SessionServices system_services(const machine::LibrarySet& libraries);

}  // namespace flopcast::measure
