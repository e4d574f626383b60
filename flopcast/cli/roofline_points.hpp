#pragma once

#include <vector>

#include "flopcast/cli/command.hpp"
#include "flopcast/cli/roofline_options.hpp"
#include "flopcast/roofline/roof.hpp"

namespace flopcast::cli {

/// The calls of --point, timed, and the recorded programs of --program, as points on the roofline.
std::vector<roofline::Point> measure_points(const RooflineOptions& options, const roofline::Roofline& found, const CommonOptions& common);

}  // namespace flopcast::cli
