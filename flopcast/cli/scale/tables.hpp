#pragma once

#include <string>

#include "flopcast/report/table.hpp"
#include "flopcast/tasks/programs/advice.hpp"

namespace flopcast::cli {

/// Returns one row per kernel, below the program's predicted time.
report::Table scale_table(const ScaledProgram& scaled);

}  // namespace flopcast::cli
