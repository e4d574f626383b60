#pragma once

#include <vector>

#include "flopcast/support/schema.hpp"

namespace flopcast {

/// Returns the schemas of contractions: their runs, plans, algorithms and rankings.
std::vector<PublishedSchema> contraction_schemas();
/// Returns the schema of runs of expressions.
PublishedSchema einsum_schema();

}  // namespace flopcast
