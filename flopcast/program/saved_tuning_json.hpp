#pragma once

#include <nlohmann/json.hpp>

#include "flopcast/program/saved_tuning.hpp"
#include "flopcast/support/schema.hpp"

/// JSON of tuning files.
namespace flopcast::program {

/// Converts to and from the document {"schema": "flopcast-tuning-file-1", "environment", "settings", "routines", "others"}, where "others" is
/// optional. saved_tuning_from_json() throws bad_input naming what is wrong.
nlohmann::json to_json(const SavedTuning& tuning);
SavedTuning saved_tuning_from_json(const nlohmann::json& json);

/// Returns the schema of a tuning file's members (program/saved_tuning_json.hpp), without the member "schema".
nlohmann::ordered_json saved_tuning_members(SchemaMaker& maker);
/// Returns the schema of tuning files of tuned block sizes.
PublishedSchema saved_tuning_schema();

}  // namespace flopcast::program
