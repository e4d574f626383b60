#pragma once

#include "flopcast/support/schema.hpp"

namespace flopcast::scale {

/// Returns the schema of descriptions of machines (scale/machine_description_json.hpp): of the document, and of its object within another.
PublishedSchema machine_description_schema_document();
nlohmann::ordered_json machine_description_object(SchemaMaker& maker);

}  // namespace flopcast::scale
