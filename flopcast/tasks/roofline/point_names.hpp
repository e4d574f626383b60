#pragma once

#include <string>
#include <vector>

#include "flopcast/roofline/roof.hpp"

namespace flopcast {

/// Returns short names of points for a figure, different where their calls differ. Threads and precision are named where they aren't those of
/// the roofs.
std::vector<std::string> point_names(const std::vector<roofline::Point>& points, int threads, const std::string& precision);

}  // namespace flopcast
