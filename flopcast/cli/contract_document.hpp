#pragma once

#include <nlohmann/json.hpp>

#include "flopcast/contract/algorithms/generate.hpp"

namespace flopcast::cli {

/// What every document of `flopcast contract` begins with: the contraction, its sizes and strides.
nlohmann::json to_json(const contract::Contraction& contraction);
/// Name, kernel, loops and copies.
nlohmann::json to_json(const contract::Algorithm& algorithm, const contract::Contraction& contraction);

}  // namespace flopcast::cli
