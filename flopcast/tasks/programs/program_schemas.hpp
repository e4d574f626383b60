#pragma once

#include <vector>

#include "flopcast/support/schema.hpp"

namespace flopcast {

/// Returns the schemas of recordings, program profiles, what-if answers, runs and profiles of block sizes.
std::vector<PublishedSchema> recording_schemas();
/// Returns the schemas of predictions, traces and their summaries.
std::vector<PublishedSchema> prediction_schemas();

}  // namespace flopcast
