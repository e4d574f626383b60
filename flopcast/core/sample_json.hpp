#pragma once

#include <nlohmann/json.hpp>

#include "flopcast/core/sample.hpp"

/// JSON of samples and model keys.
namespace flopcast {

void to_json(nlohmann::json& json, const ModelKey& key);
void from_json(const nlohmann::json& json, ModelKey& key);
void to_json(nlohmann::json& json, const Sample& sample);
void from_json(const nlohmann::json& json, Sample& sample);

}  // namespace flopcast
