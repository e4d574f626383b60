#pragma once

#include <string>

#include "flopcast/cli/shared/command.hpp"
#include "flopcast/report/table.hpp"
#include "flopcast/tasks/comparison/comparison.hpp"

namespace flopcast::cli {

/// Returns the number of verdicts, what differs, and a Markdown table. A long table lacks the quantities that are the same or unsure.
std::string comparison_text(const Comparison& comparison, const CommonOptions& common);

/// Returns all quantities, for --csv.
report::Table comparison_table(const Comparison& comparison);

}  // namespace flopcast::cli
