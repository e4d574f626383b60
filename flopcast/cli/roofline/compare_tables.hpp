#pragma once

#include <string>

#include "flopcast/cli/shared/command.hpp"
#include "flopcast/report/table.hpp"
#include "flopcast/roofline/compare.hpp"

namespace flopcast::cli {

/// Returns the verdict on two rooflines, and the roofs that differ beyond noise.
std::string comparison_text(const roofline::Comparison& comparison, const CommonOptions& common);

/// Returns all roofs that both rooflines have.
report::Table comparison_table(const roofline::Comparison& comparison);

}  // namespace flopcast::cli
