#pragma once

#include <vector>

#include "flopcast/support/schema.hpp"

namespace flopcast {

/// Returns the schemas of tunings and rankings.
std::vector<PublishedSchema> tuning_schemas();

}  // namespace flopcast
