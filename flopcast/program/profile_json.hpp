#pragma once

#include <nlohmann/json.hpp>

#include "flopcast/program/profile.hpp"

/// JSON of profiles.
namespace flopcast::program {

/// Converts to and from the document {"schema": "flopcast-profile-1", "environment", "settings", "routines", "others"}, where "others" is
/// optional. profile_from_json() throws bad_input naming what is wrong.
nlohmann::json to_json(const Profile& profile);
Profile profile_from_json(const nlohmann::json& json);

}  // namespace flopcast::program
