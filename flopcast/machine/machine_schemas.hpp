#pragma once

#include "flopcast/machine/machine_file.hpp"
#include "flopcast/support/schema.hpp"

namespace flopcast {

/// Schema of measured caches and memory (machine/machine_file_json.hpp).
template <>
struct SchemaOf<machine::MachineMeasurement> {
  static nlohmann::ordered_json make(SchemaMaker& maker);
};

}  // namespace flopcast
