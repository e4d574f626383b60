#pragma once

#include <vector>

#include "flopcast/report/table.hpp"
#include "flopcast/tasks/programs/wisdom.hpp"

namespace flopcast::cli {

/// Returns one row per entry.
report::Table wisdom_table(const std::vector<WisdomEntry>& entries);
/// Returns one row per entry that doesn't hold on this machine, with what to do.
report::Table finding_table(const std::vector<WisdomEntry>& entries);

}  // namespace flopcast::cli
