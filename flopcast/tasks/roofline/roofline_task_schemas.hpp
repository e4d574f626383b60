#pragma once

#include "flopcast/support/schema.hpp"

namespace flopcast {

/// Returns the schemas of plans of rooflines and of studies of searches.
PublishedSchema roofline_plan_schema();
PublishedSchema roofline_study_schema();

}  // namespace flopcast
