#pragma once

#include "flopcast/cli/shared/command.hpp"
#include "flopcast/cli/shared/option_set.hpp"

namespace flopcast::cli {

/// Adds `model check`.
void add_check(OptionSet& model, CommonOptions& common);

}  // namespace flopcast::cli
