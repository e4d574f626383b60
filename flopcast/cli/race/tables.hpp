#pragma once

#include "flopcast/report/table.hpp"
#include "flopcast/tasks/programs/advice.hpp"

namespace flopcast::cli {

/// Returns a row for each command. The control and the start-up of a program stand at the foot.
report::Table race_table(const CommandRace& race);

}  // namespace flopcast::cli
