#pragma once

#include <vector>

#include "flopcast/support/schema.hpp"

namespace flopcast {

/// Returns the schemas of models, samples and their checks.
std::vector<PublishedSchema> modelling_schemas();

/// Returns the schema of checks of models, which modelling_schemas() has, too.
PublishedSchema model_check_schema();

/// Returns the schema of a report on a machine.
std::vector<PublishedSchema> machine_report_schemas();

}  // namespace flopcast
