#pragma once

#include <vector>

#include "flopcast/support/schema.hpp"

namespace flopcast::roofline {

/// Returns the schema of rooflines.
std::vector<PublishedSchema> roofline_schemas();

}  // namespace flopcast::roofline
