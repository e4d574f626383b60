#pragma once

#include <nlohmann/json.hpp>

#include "flopcast/program/profile.hpp"
#include "flopcast/support/schema.hpp"

/// JSON of profiles.
namespace flopcast::program {

/// Converts to and from the document {"schema": "flopcast-profile-1", "environment", "settings", "routines", "others"}, where "others" is
/// optional. profile_from_json() throws bad_input naming what is wrong.
nlohmann::json to_json(const Profile& profile);
Profile profile_from_json(const nlohmann::json& json);

/// Returns the schema of a profile's members (program/profile_json.hpp), without the member "schema".
nlohmann::ordered_json profile_members(SchemaMaker& maker);
/// Returns the schema of profiles of tuned block sizes.
PublishedSchema profile_schema();

}  // namespace flopcast::program
