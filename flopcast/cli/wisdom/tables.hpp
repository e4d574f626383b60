#pragma once

#include <vector>

#include "flopcast/report/table.hpp"
#include "flopcast/tasks/programs/wisdom.hpp"

namespace flopcast::cli {

/// Returns one row per entry.
report::Table wisdom_table(const std::vector<WisdomEntry>& entries);

}  // namespace flopcast::cli
