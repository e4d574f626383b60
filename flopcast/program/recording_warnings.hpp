#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "flopcast/program/program_breakdown.hpp"
#include "flopcast/program/program_trace.hpp"

namespace flopcast::program {

/// Returns the defects of a recording with `calls` calls: not loaded, empty, incomplete, damaged, without an end.
std::vector<std::string> recording_warnings(const ProgramSummary& summary, std::int64_t calls);

/// Returns remarks on how to read the times of a recording. They name first calls that are kept apart, and calls that numbers such as NaN,
/// Inf or denormal ones may have made slow.
std::vector<std::string> recording_remarks(const ProgramSummary& summary, const ProgramBreakdown& breakdown);

}  // namespace flopcast::program
