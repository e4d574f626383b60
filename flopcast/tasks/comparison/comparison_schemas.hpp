#pragma once

#include <vector>

#include "flopcast/support/schema.hpp"

namespace flopcast {

/// Returns the schemas of comparisons and baselines.
std::vector<PublishedSchema> comparison_schemas();

}  // namespace flopcast
