#pragma once

#include <string>

#include "flopcast/report/table.hpp"
#include "flopcast/tasks/programs/programs.hpp"

namespace flopcast::cli {

/// Returns one row per routine, and the total.
report::Table routine_table(const Recording& recording);
/// Returns one row per call. The recording must have its events.
report::Table call_table(const Recording& recording);
/// Returns a line with the numbers of calls, routines and threads, and the time.
std::string overview(const Recording& recording);

}  // namespace flopcast::cli
