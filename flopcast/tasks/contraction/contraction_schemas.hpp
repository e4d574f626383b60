#pragma once

#include <vector>

#include "flopcast/support/schema.hpp"

namespace flopcast {

/// Returns the schemas of contractions: their runs, plans, algorithms and rankings.
std::vector<PublishedSchema> contraction_schemas();
/// Returns the schemas of expressions: their runs and plans.
std::vector<PublishedSchema> einsum_schemas();

}  // namespace flopcast
