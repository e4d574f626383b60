#pragma once

#include "flopcast/report/table.hpp"
#include "flopcast/tasks/programs/programs.hpp"

namespace flopcast::cli {

/// Returns one row per what-if question.
report::Table answer_table(const ProgramProfile& profile);
/// Returns all columns of both tables.
std::vector<report::Column> what_if_columns();
/// Returns the block sizes that were chosen, one row per question and shape.
report::Table block_table(const ProgramProfile& profile);

}  // namespace flopcast::cli
