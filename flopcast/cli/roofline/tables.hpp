#pragma once

#include <string>

#include "flopcast/cli/shared/command.hpp"
#include "flopcast/report/table.hpp"
#include "flopcast/roofline/roof.hpp"
#include "flopcast/tasks/roofline/roofline.hpp"

namespace flopcast::cli {

/// Returns a roofline as text: roofs, peaks, points and findings.
std::string roofline_text(const roofline::Roofline& roofline, const CommonOptions& common);

/// Returns every roof and point in one table, for --csv.
report::Table roofline_table(const roofline::Roofline& roofline);

/// Returns the steps of a plan.
report::Table plan_table(const RooflinePlan& plan);

}  // namespace flopcast::cli
