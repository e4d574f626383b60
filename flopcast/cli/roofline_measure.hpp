#pragma once

#include "flopcast/cli/command.hpp"
#include "flopcast/cli/roofline_options.hpp"
#include "flopcast/roofline/roof.hpp"

namespace flopcast::cli {

/// Measures the machine as the options ask for. After Ctrl-C it is what was measured until then.
roofline::Roofline measure_roofline(const RooflineOptions& options, const CommonOptions& common);

/// Prints what would be measured.
void show_roofline_plan(const RooflineOptions& options, const CommonOptions& common);

}  // namespace flopcast::cli
