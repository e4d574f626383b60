#pragma once

#include <nlohmann/json.hpp>

#include "flopcast/machine/caches/shared_bandwidth.hpp"

/// JSON of bandwidth shares.
namespace flopcast::machine {

void to_json(nlohmann::json& json, const BandwidthShare& share);
void from_json(const nlohmann::json& json, BandwidthShare& share);

}  // namespace flopcast::machine
