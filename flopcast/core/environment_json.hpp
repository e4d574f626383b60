#pragma once

#include <nlohmann/json.hpp>

#include "flopcast/core/environment.hpp"

/// JSON of environments, cache levels and library identities.
namespace flopcast {

void to_json(nlohmann::json& json, const CacheLevel& level);
void from_json(const nlohmann::json& json, CacheLevel& level);
void to_json(nlohmann::json& json, const LibraryIdentity& identity);
void from_json(const nlohmann::json& json, LibraryIdentity& identity);
void to_json(nlohmann::json& json, const Environment& environment);
void from_json(const nlohmann::json& json, Environment& environment);

}  // namespace flopcast
