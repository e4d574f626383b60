#pragma once

#include <string>

#include "flopcast/cli/shared/command.hpp"
#include "flopcast/report/table.hpp"
#include "flopcast/tasks/modelling/machine_report.hpp"

namespace flopcast::cli {

/// One row per cache level and one for the memory.
report::Table cache_table(const machine::MachineMeasurement& measurement);

/// The whole report as text with tables.
std::string to_text(const MachineReport& found, const CommonOptions& common);

}  // namespace flopcast::cli
