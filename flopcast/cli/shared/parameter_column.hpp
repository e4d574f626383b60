#pragma once

#include "flopcast/cli/shared/columns.hpp"

namespace flopcast::cli {

/// Returns the column of a program's parameter.
inline report::Column parameter_column() {
  return text_column("PARAMETER", "PARAMETER", "in CSV, in place of the configuration: the value of this parameter");
}

}  // namespace flopcast::cli
