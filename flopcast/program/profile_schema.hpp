#pragma once

#include "flopcast/support/schema.hpp"

namespace flopcast::program {

/// Returns the schema of profiles of tuned block sizes (program/profile_json.hpp).
PublishedSchema profile_schema();

}  // namespace flopcast::program
