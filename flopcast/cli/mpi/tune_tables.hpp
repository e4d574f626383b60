#pragma once

#include "flopcast/report/table.hpp"
#include "flopcast/tasks/mpi/tuning.hpp"

namespace flopcast::cli {

/// Returns a row per configuration. Columns on executions in full are there if the tuning made such executions for comparison.
report::Table tuning_table(const MpiTuning& tuning);

}  // namespace flopcast::cli
