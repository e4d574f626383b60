#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "flopcast/interpose/program_trace.hpp"

namespace flopcast::cli {

/// `1 call`, `2 processes`.
std::string plural(std::uint64_t count, const std::string& noun);

/// What is wrong with a recording of so many calls, in words: not loaded, empty, incomplete, damaged, without an end.
std::vector<std::string> recording_complaints(const interpose::ProgramSummary& summary, std::int64_t calls);

}  // namespace flopcast::cli
