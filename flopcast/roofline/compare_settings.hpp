#pragma once

#include <string>
#include <vector>

#include "flopcast/roofline/roof.hpp"

namespace flopcast::roofline {

/// Returns the circumstances of two measurements that differ and may explain different roofs, such as "CPU: X; Y".
std::vector<std::string> different_settings(const Roofline& before, const Roofline& after);

}  // namespace flopcast::roofline
