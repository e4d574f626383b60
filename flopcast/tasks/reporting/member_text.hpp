#pragma once

#include <string>
#include <string_view>

#include "flopcast/report/table.hpp"

namespace flopcast {

/// Returns the title of a member's column: "measured default" for measured_default_seconds, whose cells have the unit.
std::string member_title(std::string_view name);

/// Returns a number as people read it in its unit.
report::Cell number_cell(double value, std::string_view unit);

}  // namespace flopcast
