#pragma once

#include "flopcast/support/schema.hpp"

namespace flopcast {

/// Returns the schema of plans of rooflines.
PublishedSchema roofline_plan_schema();

}  // namespace flopcast
