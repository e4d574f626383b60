#pragma once

#include "flopcast/cli/shared/option_set.hpp"
#include "flopcast/tasks/programs/programs.hpp"

namespace flopcast::cli {

/// Adds the options with which a program is set up: --profile, --blas, --lapack, --kernels, --threads and --other-machine.
void add_run_options(OptionSet& command, RunRequest& request);

}  // namespace flopcast::cli
