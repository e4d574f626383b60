#pragma once

#include <nlohmann/json.hpp>

#include "flopcast/model/box.hpp"

/// JSON of boxes.
namespace flopcast::model {

void to_json(nlohmann::json& json, const Box& box);
void from_json(const nlohmann::json& json, Box& box);

}  // namespace flopcast::model
