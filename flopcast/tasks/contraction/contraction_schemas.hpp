#pragma once

#include <vector>

#include "flopcast/support/schema.hpp"

namespace flopcast {

/// Returns the schemas of contractions: plans with their executions.
std::vector<PublishedSchema> contraction_schemas();
/// Returns the schema of storage orders.
PublishedSchema layouts_schema();
/// Returns the schemas of BLAS-based algorithms of contractions: rankings and lists.
std::vector<PublishedSchema> algorithms_schemas();

}  // namespace flopcast
