#pragma once

#include "flopcast/core/call.hpp"
#include "flopcast/support/units.hpp"

/// What memory and libraries cost when they are used for the first time. Models of kernels leave it out, as they are measured warm, and a
/// kernel that isn't executed doesn't cause it.
namespace flopcast::interpose::smpi {

/// Touches what `call` would have written in pages that don't exist yet. Returns the seconds that takes.
Seconds touch_written_memory(const Call& call);

/// What the first product costs beyond another one: BLAS sets up its buffers. Measured once; 0 if the program has no dgemm.
Seconds first_call_seconds();

}  // namespace flopcast::interpose::smpi
