#pragma once

#include <array>
#include <string>
#include <utility>

#include <nlohmann/json.hpp>

#include "flopcast/core/kernel_model.hpp"
#include "flopcast/support/fields.hpp"

/// JSON of models and their parts.
namespace flopcast {

template <>
struct EnumNames<model::Grid> {
  using Grid = model::Grid;
  static constexpr std::array names{std::pair{Grid::gaussian, "gaussian"}, std::pair{Grid::chebyshev, "chebyshev"},
                                    std::pair{Grid::regular, "regular"}};
};
template <>
struct EnumNames<model::BasisKind> {
  using Kind = model::BasisKind;
  static constexpr std::array names{std::pair{Kind::total, "total"}, std::pair{Kind::tensor, "tensor"},
                                    std::pair{Kind::adapted, "adapted"}};
};
template <>
struct EnumNames<model::ErrorType> {
  using Type = model::ErrorType;
  static constexpr std::array names{std::pair{Type::maximum, "maximum"}, std::pair{Type::mean, "mean"}, std::pair{Type::median, "median"}};
};

template <>
Fields FieldTable<model::Box>::fields();
template <>
struct SchemaOf<model::Polynomial> {
  static nlohmann::ordered_json make(SchemaMaker& maker);
};
/// The document itself, without its member "schema".
template <>
struct SchemaOf<model::Model> {
  static nlohmann::ordered_json make(SchemaMaker& maker);
};

}  // namespace flopcast

namespace flopcast::model {

/// Returns the member "options" of a model's document.
nlohmann::json options_json(const BuildOptions& options);
/// Reads that member. Options that it lacks keep their defaults. `generator` is that of the model.
void read_options(const nlohmann::json& json, const std::string& generator, BuildOptions& options);

inline constexpr const char* model_schema = "flopcast-model-1";
/// Converts a model to the document {"schema": "flopcast-model-1", ...}. from_json throws bad_input that says which member is wrong.
void to_json(nlohmann::json& json, const Model& model);
void from_json(const nlohmann::json& json, Model& model);

void to_json(nlohmann::json& json, const Polynomial& polynomial);
/// Throws bad_input if the lengths don't match, an exponent is above highest_degree or a number isn't finite.
void from_json(const nlohmann::json& json, Polynomial& polynomial);

void to_json(nlohmann::json& json, const Box& box);
/// Throws MemberError for a box without sizes, and for one that ends before it begins.
void from_json(const nlohmann::json& json, Box& box);

}  // namespace flopcast::model
