#pragma once

#include <vector>

#include "flopcast/program/program_trace.hpp"
#include "flopcast/tasks/programs/programs.hpp"

namespace flopcast {

/// Rounds the times of calls to nanoseconds, and changes them so that the calls of each thread are nested or follow one another, as viewers
/// require. `calls` are sorted by rising start, longer ones first. Calls of one thread overlap by errors of rounding only. A call of which
/// most lies in an earlier one ends with that one at the latest. Another call begins where the earlier one ends.
void nest(std::vector<Timeline::Event>& calls);

/// Returns the timeline of `recorded`, whatever its file.
Timeline timeline_of(const program::RecordedProgram& recorded, const TimelineRequest& request, const RunContext& context);

}  // namespace flopcast
