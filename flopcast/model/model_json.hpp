#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "flopcast/model/box.hpp"
#include "flopcast/model/build_options.hpp"
#include "flopcast/model/least_squares.hpp"
#include "flopcast/model/model.hpp"
#include "flopcast/model/polynomial.hpp"

/// JSON of models and their parts.
namespace flopcast::model {

/// Returns the member "options" of a model's document.
nlohmann::json options_json(const BuildOptions& options);
/// Reads that member. Options that it lacks keep their defaults. `generator` is that of the model.
void read_options(const nlohmann::json& json, const std::string& generator, BuildOptions& options);

void to_json(nlohmann::json& json, const FitError& error);
void from_json(const nlohmann::json& json, FitError& error);
void to_json(nlohmann::json& json, const Piece& piece);
void from_json(const nlohmann::json& json, Piece& piece);

inline constexpr const char* model_schema = "flopcast-model-1";
/// Converts a model to the document {"schema": "flopcast-model-1", ...}. from_json throws bad_input that says which member is wrong.
void to_json(nlohmann::json& json, const Model& model);
void from_json(const nlohmann::json& json, Model& model);

// JSON of polynomials.

void to_json(nlohmann::json& json, const Polynomial& polynomial);
/// Throws bad_input if the lengths don't match, an exponent is above highest_degree or a number isn't finite.
void from_json(const nlohmann::json& json, Polynomial& polynomial);

// JSON of boxes.

void to_json(nlohmann::json& json, const Box& box);
void from_json(const nlohmann::json& json, Box& box);

}  // namespace flopcast::model
