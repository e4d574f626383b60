#pragma once

#include "flopcast/report/table.hpp"
#include "flopcast/tasks/programs/programs.hpp"

namespace flopcast::cli {

/// Returns one row per tuned routine with what happened. The outcome must be explained.
report::Table outcome_table(const RunOutcome& outcome);
/// Returns one row per routine and number of threads of its calls.
report::Table thread_table(const RunOutcome& outcome);
/// Returns one row per routine and problem size that the program queried.
report::Table size_table(const RunOutcome& outcome);

}  // namespace flopcast::cli
