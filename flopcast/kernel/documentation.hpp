#pragma once

#include <string>

#include "flopcast/core/routine.hpp"

namespace flopcast::kernel {

/// Help text of a routine: its signature and what it computes, then a line for each argument with what it may be, then its flops.
std::string documentation(const Routine& routine);

}  // namespace flopcast::kernel
