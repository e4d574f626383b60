#pragma once

#include <span>
#include <string>
#include <vector>

#include "flopcast/core/call.hpp"
#include "flopcast/core/sample.hpp"
#include "flopcast/report/table.hpp"

namespace flopcast::cli {

/// A sample with what it is a sample of, as the user would write it.
struct SampledCall {
  Call call;
  std::string cache;  ///< "A=L2,B=memory"
  Sample sample;
};

/// One row per sample: its statistics over drift-normalised times, rates at the median, and numbers into `notes` where there are warnings.
report::Table statistics_table(std::span<const SampledCall> sampled, std::vector<std::string>& notes);

/// One row per repetition, in the order they were made for each sample.
report::Table repetitions_table(std::span<const SampledCall> sampled);

}  // namespace flopcast::cli
