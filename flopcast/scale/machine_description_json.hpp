#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "flopcast/scale/machine_description.hpp"

namespace flopcast::scale {

/// Returns the description as a document that is part of another one.
[[nodiscard]] nlohmann::json machine_document(const MachineDescription& machine);
/// Inverse of machine_document(). Throws bad_input as machine_description_from_json() does.
[[nodiscard]] MachineDescription machine_from_document(const nlohmann::json& document, const std::string& source);

}  // namespace flopcast::scale
