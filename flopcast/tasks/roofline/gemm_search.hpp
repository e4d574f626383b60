#pragma once

#include "flopcast/roofline/roof.hpp"
#include "flopcast/support/run_context.hpp"
#include "flopcast/tasks/roofline/deadline.hpp"
#include "flopcast/tasks/roofline/request.hpp"
#include "flopcast/tasks/roofline/roofline_machine.hpp"

namespace flopcast {

/// Searches the best gemm of every library and number of threads until the deadline, and adds roofs and findings to `found`. The first
/// search runs for half a second at least. Throws what the search of the first library throws.
void search_gemms(const RooflineRequest& request, const machine::Topology& topology, RooflineMachine& machine, const Deadline& deadline,
                  roofline::Roofline& found, const RunContext& context);

}  // namespace flopcast
