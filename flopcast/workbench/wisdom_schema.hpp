#pragma once

#include "flopcast/support/schema.hpp"

namespace flopcast {

/// Returns the schema of files of wisdom (workbench/wisdom_file.hpp).
PublishedSchema wisdom_schema();

}  // namespace flopcast
