#pragma once

#include <string>

#include "flopcast/cli/command.hpp"
#include "flopcast/report/table.hpp"
#include "flopcast/roofline/roof.hpp"

namespace flopcast::cli {

/// Everything that people want to see of a roofline.
std::string roofline_text(const roofline::Roofline& roofline, const CommonOptions& common);

/// Every roof and point in one table, for --csv.
report::Table roofline_table(const roofline::Roofline& roofline);

}  // namespace flopcast::cli
