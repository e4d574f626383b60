#pragma once

#include "flopcast/report/table.hpp"
#include "flopcast/tasks/mpi/tuning.hpp"

namespace flopcast::cli {

/// Returns a row per configuration. Columns on executions in full are there if the tuning made such executions for comparison.
report::Table tuning_table(const MpiTuning& tuning);
/// Returns all columns that the table may have.
std::vector<report::Column> tuning_table_columns();

}  // namespace flopcast::cli
