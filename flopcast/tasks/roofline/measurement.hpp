#pragma once

#include "flopcast/roofline/roof.hpp"
#include "flopcast/support/run_context.hpp"
#include "flopcast/tasks/roofline/request.hpp"
#include "flopcast/tasks/roofline/roofline.hpp"
#include "flopcast/tasks/roofline/roofline_machine.hpp"

namespace flopcast {

/// Measures the roofs of `machine` step by step. `kernels` is as in machine::LibraryChoice. Half of the roofs' samples are taken before the
/// search of gemm and half after it, so that a disturbance of some seconds doesn't hit all of them.
roofline::Roofline measure_roofline(const RooflineRequest& request, const std::string& kernels, RooflineMachine& machine,
                                    const RunContext& context);

/// Plans a measurement of `machine` without measuring.
RooflinePlan plan_roofline(const RooflineRequest& request, RooflineMachine& machine);

}  // namespace flopcast
