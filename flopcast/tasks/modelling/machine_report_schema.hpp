#pragma once

#include <vector>

#include "flopcast/support/schema.hpp"

namespace flopcast {

/// Returns the schema of a report on a machine.
std::vector<PublishedSchema> machine_report_schemas();

}  // namespace flopcast
