#pragma once

#include "flopcast/roofline/gemm_space.hpp"
#include "flopcast/tasks/roofline/request.hpp"

namespace flopcast {

/// Checks everything that can be wrong before anything is measured: libraries, shapes, search, calls, recordings. Throws bad_input or
/// usage_error.
void require_measurable(const RooflineRequest& request);

/// Throws bad_input if the largest operands of the space don't fit in the memory that is available.
void require_memory(const roofline::GemmSpace& space);

}  // namespace flopcast
