#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "flopcast/program/program_breakdown.hpp"
#include "flopcast/program/program_trace.hpp"

namespace flopcast::interpose {

/// What is wrong with a recording of so many calls, in words: not loaded, empty, incomplete, damaged, without an end.
std::vector<std::string> recording_warnings(const ProgramSummary& summary, std::int64_t calls);

/// What one must know to read the times of a recording, in words: first calls that are told apart, and calls that met numbers (NaN, Inf,
/// denormal ones) that may be why they took so long.
std::vector<std::string> recording_remarks(const ProgramSummary& summary, const ProgramBreakdown& breakdown);

}  // namespace flopcast::interpose
