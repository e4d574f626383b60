#pragma once

#include <vector>

#include "flopcast/roofline/roof.hpp"
#include "flopcast/support/run_context.hpp"
#include "flopcast/tasks/roofline/roofline_request.hpp"

namespace flopcast {

/// Throws bad_input for a --point that is no call, does no arithmetic or doesn't fit in memory.
void require_points(const RooflineOptions& options);

/// The recordings of --program as points on the roofline. Throws bad_input for one without arithmetic.
std::vector<roofline::Point> recorded_points(const RooflineOptions& options);

/// Times the calls of --point, with the threads of --threads, else one; adds them to `found`, and a finding that says which library they
/// called, or why they couldn't be timed.
void measure_points(const RooflineOptions& options, roofline::Roofline& found, const RunContext& context);

}  // namespace flopcast
