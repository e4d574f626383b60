#pragma once

#include <cstddef>
#include <string>

#include "flopcast/report/page.hpp"
#include "flopcast/tasks/programs/programs.hpp"

namespace flopcast::cli {

/// Returns the page with pictures and tables of a profile. `recording` is read once more for the timeline.
report::Page program_page(const ProgramProfile& profile, const std::string& recording, std::size_t max_shapes);

}  // namespace flopcast::cli
