#pragma once

#include "flopcast/support/schema.hpp"

namespace flopcast::program {

/// Returns the schema of a profile's members (program/profile_json.hpp), without the member "schema".
nlohmann::ordered_json profile_members(SchemaMaker& maker);
/// Returns the schema of profiles of tuned block sizes.
PublishedSchema profile_schema();

}  // namespace flopcast::program
