#pragma once

#include "flopcast/core/call.hpp"
#include "flopcast/support/units.hpp"

/// Measures the cost of first uses of memory and libraries. Models of kernels leave it out, because they are measured warm, and a kernel
/// that isn't executed doesn't cause it.
namespace flopcast::preload::smpi {

/// Touches the memory that `call` would have written in pages that don't exist yet. Returns the seconds taken.
Seconds touch_written_memory(const Call& call);

/// Returns the extra time of the first product, in which BLAS sets up its buffers. It is measured once; 0 if the program has no dgemm.
Seconds first_call_seconds();

}  // namespace flopcast::preload::smpi
