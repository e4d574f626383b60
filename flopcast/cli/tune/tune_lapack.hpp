#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "flopcast/cli/command.hpp"
#include "flopcast/machine/libraries/library_choice.hpp"
#include "flopcast/tasks/tuning/tuning_session.hpp"

namespace flopcast::cli {

struct LapackRequest {
  std::string precisions = "dzsc";  ///< letters, the most used first
  std::vector<std::int64_t> orders = {150, 300, 600, 1000, 1500, 2200, 3200};
  std::vector<std::int64_t> blocks;  ///< block sizes to choose from
  Seconds time_budget = 600;         ///< of all together, validation not counted
  TuningOptions tuning;
  bool tune_crossover = true;
  bool validate = false;
  bool limits_validation = false;  ///< each routine's validation may take as long as its tuning
  std::string profile;             ///< file; after each routine what was decided is in there
};

/// Tunes every routine that asks ilaenv, the most used first, each for a share of what is left of the budget, and shows a table. What the
/// profile already holds for the same sizes is left alone unless the tuning is to be fresh. Throws usage_error for letters that are no
/// precision.
void tune_lapack(const LapackRequest& request, const machine::LibraryChoice& libraries, const CommonOptions& common);

}  // namespace flopcast::cli
