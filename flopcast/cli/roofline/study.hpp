#pragma once

#include "flopcast/cli/shared/command.hpp"
#include "flopcast/cli/shared/option_set.hpp"

namespace flopcast::cli {

/// Adds the subcommand `flopcast roofline study`.
void add_roofline_study(OptionSet& roofline, CommonOptions& common);

}  // namespace flopcast::cli
