#pragma once

#include <string>

#include "flopcast/core/routine.hpp"

namespace flopcast::kernel {

/// Returns the help text of a routine: its signature and operation, a line for each argument with its legal values, and its flops.
std::string documentation(const Routine& routine);

}  // namespace flopcast::kernel
