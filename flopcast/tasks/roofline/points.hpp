#pragma once

#include <string>
#include <vector>

#include "flopcast/roofline/roof.hpp"
#include "flopcast/support/run_context.hpp"
#include "flopcast/tasks/roofline/roofline_machine.hpp"

namespace flopcast {

/// Throws bad_input for a call that does no arithmetic or whose operands don't fit in memory.
void require_points(const std::vector<Call>& calls);

/// Returns a recorded program as a point: all calls of all its threads together, over the time that the busiest thread spent in them. Throws
/// bad_input for a recording without arithmetic.
roofline::Point recorded_program(const std::string& file);

/// Times calls by themselves on `libraries`, with operands that were just used where they fit, as a caller in a loop would see them.
TimedCalls time_calls(const std::vector<Call>& calls, const machine::LibraryChoice& libraries, const std::vector<CacheLevel>& levels,
                      const RunContext& context);

}  // namespace flopcast
