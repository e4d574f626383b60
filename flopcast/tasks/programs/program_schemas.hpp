#pragma once

#include <vector>

#include "flopcast/support/schema.hpp"

namespace flopcast {

/// Returns the schemas of recordings, program profiles, runs and profiles of block sizes.
std::vector<PublishedSchema> recording_schemas();
/// Returns the schemas of predictions, traces and their summaries.
std::vector<PublishedSchema> prediction_schemas();
/// Returns the schemas of files of wisdom, their lists and imports.
std::vector<PublishedSchema> wisdom_schemas();
/// Returns the schema of the variables that `flopcast env` prints.
PublishedSchema program_environment_schema();
/// Returns the schema of an exported ilaenv.
PublishedSchema ilaenv_schema();

}  // namespace flopcast
