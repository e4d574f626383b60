#pragma once

#include "flopcast/report/table.hpp"
#include "flopcast/tasks/programs/predict.hpp"

namespace flopcast::cli {

/// Returns one row per kernel in the order of first use, and the total.
report::Table summary_table(const TraceSummary& summary);

}  // namespace flopcast::cli
