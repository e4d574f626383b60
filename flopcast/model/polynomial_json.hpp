#pragma once

#include <nlohmann/json.hpp>

#include "flopcast/model/polynomial.hpp"

/// JSON of polynomials.
namespace flopcast::model {

void to_json(nlohmann::json& json, const Polynomial& polynomial);
/// Throws bad_input if the lengths don't match, an exponent is above highest_degree or a number isn't finite.
void from_json(const nlohmann::json& json, Polynomial& polynomial);

}  // namespace flopcast::model
