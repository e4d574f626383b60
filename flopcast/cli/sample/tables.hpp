#pragma once

#include <span>
#include <string>
#include <vector>

#include "flopcast/report/table.hpp"
#include "flopcast/tasks/modelling/modelling.hpp"

namespace flopcast::cli {

/// One row per sample: statistics of drift-normalised times, rates at the median, and the numbers of its warnings in `notes`.
report::Table statistics_table(std::span<const SampledCall> sampled, std::vector<std::string>& notes);

/// One row per call and cache state that would be sampled.
report::Table plan_table(std::span<const PlannedSample> plan);

/// One row per repetition, in the order of their execution for each sample.
report::Table repetitions_table(std::span<const SampledCall> sampled);

}  // namespace flopcast::cli
