#pragma once

#include "flopcast/cli/command.hpp"

namespace flopcast::cli {

/// `flopcast roofline study`.
void add_roofline_study(CLI::App& roofline, CommonOptions& common);

}  // namespace flopcast::cli
