#include "flopcast/model/model_json.hpp"

#include <cmath>
#include <limits>

#include "flopcast/core/sample_json.hpp"
#include "flopcast/support/error.hpp"
#include "flopcast/support/json.hpp"

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

void read(const nlohmann::json& json, RefinementOptions& options) {
  options.min_width = member_or(json, "minimum_width", options.min_width);
  options.grid = parse_grid(member_or(json, "grid", std::string(to_string(options.grid))));
  options.error_bound = member_or(json, "error_bound", static_cast<double>(options.error_bound));
  options.min_size = member_or(json, "minimum_size", options.min_size);
  options.degree = member_or(json, "degree", options.degree);
  options.oversampling = member_or(json, "oversampling", options.oversampling);
  options.error_type = parse_error_type(member_or(json, "error_type", std::string(to_string(options.error_type))));
  options.basis = parse_basis_kind(member_or(json, "basis", std::string(to_string(options.basis))));
  options.reuse = member_or(json, "reuse", options.reuse);
  options.max_depth = member_or(json, "maximum_depth", options.max_depth);
  check(options);
}

void read(const nlohmann::json& json, LevelsOptions& options) {
  options.measurements = member_or(json, "measurements", options.measurements);
  options.min_width = member_or(json, "minimum_width", options.min_width);
  check(options);
}

}  // namespace

nlohmann::json options_json(const BuildOptions& options) {
  nlohmann::json json = {{"arguments", options.arguments}, {"complete", options.complete}};
  if (!options.cache.empty()) {
    json["cache"] = options.cache;
  }
  if (options.refinement) {
    const RefinementOptions& refinement = *options.refinement;
    json.update({{"minimum_width", refinement.min_width},
                 {"grid", to_string(refinement.grid)},
                 {"error_bound", static_cast<double>(refinement.error_bound)},
                 {"minimum_size", refinement.min_size},
                 {"degree", refinement.degree},
                 {"oversampling", refinement.oversampling},
                 {"error_type", to_string(refinement.error_type)},
                 {"basis", to_string(refinement.basis)},
                 {"reuse", refinement.reuse},
                 {"maximum_depth", refinement.max_depth}});
  }
  if (options.levels) {
    json.update({{"measurements", options.levels->measurements}, {"minimum_width", options.levels->min_width}});
  }
  if (!options.thresholds.empty()) {
    json["thresholds"] = options.thresholds;
  }
  return json;
}

void read_options(const nlohmann::json& json, const std::string& generator, BuildOptions& options) {
  options = {};
  if (generator == "refined") {
    read(json, options.refinement.emplace());
  } else if (generator == "levels") {
    read(json, options.levels.emplace());
  }
  options.thresholds = member_or(json, "thresholds", options.thresholds);
  options.arguments = member_or(json, "arguments", options.arguments);
  options.cache = member_or(json, "cache", options.cache);
  options.complete = member_or(json, "complete", options.complete);
}

void to_json(nlohmann::json& json, const FitError& error) {
  json = {{"maximum", error.maximum}, {"mean", error.mean}, {"median", error.median}, {"deviation", error.deviation}};
}

void from_json(const nlohmann::json& json, FitError& error) {
  read_member(json, "maximum", error.maximum);
  read_member(json, "mean", error.mean);
  read_member(json, "median", error.median);
  read_member(json, "deviation", error.deviation);
}

void to_json(nlohmann::json& json, const Piece& piece) {
  json = {{"box", piece.box},     {"polynomial", piece.polynomial}, {"floor_seconds", piece.floor},
          {"error", piece.error}, {"samples", piece.samples},       {"bytes_low", piece.bytes_low}};
  if (std::isfinite(piece.bytes_high)) {
    json["bytes_high"] = piece.bytes_high;
  }
}

void from_json(const nlohmann::json& json, Piece& piece) {
  piece = {};
  read_member(json, "box", piece.box);
  read_member(json, "polynomial", piece.polynomial);
  read_member(json, "floor_seconds", piece.floor);
  read_member(json, "error", piece.error);
  read_member(json, "samples", piece.samples);
  read_member(json, "bytes_low", piece.bytes_low);
  piece.bytes_high = member_or(json, "bytes_high", std::numeric_limits<double>::infinity());
}

void to_json(nlohmann::json& json, const Model& model) {
  json = {{"schema", model_schema},       {"key", model.key},
          {"generator", model.generator}, {"options", options_json(model.options)},
          {"sizes", model.sizes},         {"domain", model.domain},
          {"pieces", model.pieces},       {"cost", {{"samples", model.cost.samples}, {"seconds", model.cost.seconds}}}};
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
    read_member(json, "key", model.key);
    read_member(json, "generator", model.generator);
    at_place("options", [&] { read_options(json.at("options"), model.generator, model.options); });
    read_member(json, "sizes", model.sizes);
    read_member(json, "domain", model.domain);
    read_member(json, "pieces", model.pieces);
    at_place("cost", [&] {
      read_member(json.at("cost"), "samples", model.cost.samples);
      read_member(json.at("cost"), "seconds", model.cost.seconds);
    });
    if (json.contains("footprint_bytes")) {
      read_member(json, "footprint_bytes", model.footprint);
    }
  } catch (const nlohmann::json::exception& error) {
    throw bad_input("model is damaged: {}", reason(error));
  }
  check(model);
}

}  // namespace flopcast::model
