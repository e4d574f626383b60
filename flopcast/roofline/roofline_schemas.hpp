#pragma once

#include <vector>

#include "flopcast/support/schema.hpp"

namespace flopcast::roofline {

/// Returns the schemas of rooflines and of their comparisons.
std::vector<PublishedSchema> roofline_schemas();
PublishedSchema comparison_published();

}  // namespace flopcast::roofline
