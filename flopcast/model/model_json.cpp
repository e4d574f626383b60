#include "flopcast/model/model_json.hpp"

#include <utility>
#include <vector>

#include "flopcast/core/documents.hpp"
#include "flopcast/support/error.hpp"
#include "flopcast/support/json.hpp"
#include "flopcast/support/request_types.hpp"

namespace flopcast::model {
namespace {

void check(const Model& model) {
  if (model.domain.empty() || model.pieces.empty()) {
    throw bad_input("model of {} has {} domains and {} pieces; expected at least one of each", to_string(model.key), model.domain.size(),
                    model.pieces.size());
  }
  const auto fits = [&](std::size_t dimensions) { return dimensions == model.sizes.size(); };
  for (const Box& box : model.domain) {
    if (!fits(box.dimensions())) {
      throw bad_input("model of {}: a domain has {} sizes, expected {}", to_string(model.key), box.dimensions(), model.sizes.size());
    }
  }
  for (const Piece& piece : model.pieces) {
    if (!fits(piece.box.dimensions()) || !fits(piece.polynomial.centre.size())) {
      throw bad_input("model of {}: a piece has {} sizes and a polynomial of {}, expected {}", to_string(model.key), piece.box.dimensions(),
                      piece.polynomial.centre.size(), model.sizes.size());
    }
  }
}

}  // namespace

nlohmann::json options_json(const BuildOptions& options) {
  nlohmann::json json;
  write_fields(json, options);
  if (options.refinement) {
    write_fields(json, *options.refinement);
  }
  if (options.levels) {
    write_fields(json, *options.levels);
  }
  return json;
}

void read_options(const nlohmann::json& json, const std::string& generator, BuildOptions& options) {
  options = {};
  read_fields(json, options);
  if (generator == "refined") {
    read_fields(json, options.refinement.emplace());
    check(*options.refinement);
  } else if (generator == "levels") {
    read_fields(json, options.levels.emplace());
    check(*options.levels);
  }
}

void to_json(nlohmann::json& json, const Model& model) {
  json = {{"schema", model_schema}, {"options", options_json(model.options)}};
  write_fields(json, model);
  if (!model.footprint.monomials.empty()) {
    json["footprint_bytes"] = model.footprint;
  }
}

void from_json(const nlohmann::json& json, Model& model) {
  if (!json.is_object() || !json.contains("schema") || json["schema"] != model_schema) {
    throw bad_input("not a model: expected \"schema\": \"{}\"{}", model_schema,
                    json.is_object() && json.contains("schema") ? ", found " + shown(json["schema"]) : "");
  }
  try {
    model = {};
    read_fields(json, model);
    at_place("options", [&] { read_options(json.at("options"), model.generator, model.options); });
    if (json.contains("footprint_bytes")) {
      read_member(json, "footprint_bytes", model.footprint);
    }
  } catch (const nlohmann::json::exception& error) {
    throw bad_input("model is damaged: {}", reason(error));
  }
  check(model);
}

}  // namespace flopcast::model

namespace flopcast {

template <>
Fields FieldTable<model::Box>::fields() {
  return {field<&T::low>("smallest value of each size"), field<&T::high>("largest value of each size")};
}

template <>
Fields FieldTable<model::RefinementOptions>::fields() {
  return {optional_field<&T::min_width>("sampled sizes are multiples of this number").named("minimum_width"),
          optional_field<&T::grid>("distribution of the points of a piece"),
          optional_field<&T::error_bound>("a piece with a larger error is subdivided"),
          optional_field<&T::min_size>("least width of a piece").named("minimum_size"),
          optional_field<&T::degree>("degree of the polynomials"),
          optional_field<&T::oversampling>("number of points per size beyond the degree + 1"),
          optional_field<&T::error_type>("error over the points of a piece that counts"),
          optional_field<&T::basis>("monomials of total or tensor degree, or adapted to the kernel's flops"),
          optional_field<&T::reuse>("points of neighbouring and enclosing pieces count"),
          optional_field<&T::max_depth>("largest number of subdivisions").named("maximum_depth")};
}

template <>
Fields FieldTable<model::LevelsOptions>::fields() {
  return {optional_field<&T::measurements>("number of points per memory level"),
          optional_field<&T::min_width>("sampled sizes are multiples of this number").named("minimum_width")};
}

template <>
Fields FieldTable<model::BuildOptions>::fields() {
  return {optional_field<&T::thresholds>("products of all sizes at which the library changes its threads").unless_empty(),
          optional_field<&T::arguments>("flags, scalars and leading dimensions that were fixed, by name"),
          optional_field<&T::cache>("state of the caches").unless_empty(),
          optional_field<&T::complete>("false: the time budget ended before all pieces were as accurate as asked for")};
}

template <>
Fields FieldTable<model::FitError>::fields() {
  const auto fraction = [](const Field& field) { return field.measured_in("fraction", Best::small); };
  return {fraction(field<&T::maximum>("largest relative error of the fit at a sample")),
          fraction(field<&T::mean>("mean relative error of the fit at the samples")),
          fraction(field<&T::median>("median relative error of the fit at the samples")),
          fraction(field<&T::deviation>("relative standard deviation of the samples around the fit"))};
}

template <>
Fields FieldTable<model::Piece>::fields() {
  return {field<&T::box>("sizes for which the piece holds"),
          field<&T::polynomial>("seconds as a polynomial of the sizes"),
          field<&T::floor>("lower bound of estimates").named("floor_seconds"),
          field<&T::error>("relative errors at the samples"),
          field<&T::samples>("number of points that the polynomial was fitted to"),
          field<&T::bytes_low>("the piece holds from this footprint on").measured_in("B", Best::neither),
          optional_field<&T::bytes_high>("the piece holds below this footprint; missing if there is no upper end")
              .measured_in("B", Best::neither)
              .unless_empty()};
}

template <>
Fields FieldTable<model::Cost>::fields() {
  return {field<&T::samples>("number of measured points"), field<&T::seconds>("time spent on measuring")};
}

template <>
Fields FieldTable<model::Model>::fields() {
  return {field<&T::key>("calls that the model is of"),
          field<&T::generator>("\"refined\" (Peise and Bientinesi 2014) or \"levels\" (Iakymchuk 2011)"),
          field<&T::sizes>("names of the sizes"),
          field<&T::domain>("sampled sizes, which the pieces cover"),
          field<&T::pieces>("polynomials; on a shared face the first one holds"),
          field<&T::cost>("cost of building the model")};
}

nlohmann::ordered_json SchemaOf<model::Polynomial>::make(SchemaMaker& maker) {
  const auto numbers = [&maker](const char* meaning) { return described(maker.of<std::vector<double>>(), meaning); };
  return object_schema({{"centre", numbers("origin of each size")},
                        {"scale", numbers("unit of each size")},
                        {"monomials", described(maker.of<std::vector<std::vector<int>>>(), "exponents of each size")},
                        {"coefficients", numbers("factor of each monomial")}});
}

nlohmann::ordered_json SchemaOf<model::Model>::make(SchemaMaker& maker) {
  nlohmann::ordered_json options = maker.object<model::BuildOptions>();
  for (const nlohmann::ordered_json& part : {maker.object<model::RefinementOptions>(), maker.object<model::LevelsOptions>()}) {
    options["properties"].update(part["properties"]);
  }
  nlohmann::ordered_json root = maker.object<model::Model>();
  add_member(root, "options", described(std::move(options), "options that the model was built with"));
  add_member(root, "footprint_bytes",
             described(maker.of<model::Polynomial>(), "footprint, or product of all sizes, that decides between pieces"), false);
  return root;
}

}  // namespace flopcast
