#include "flopcast/model/model_schemas.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "flopcast/core/core_schemas.hpp"

namespace flopcast {
namespace {

using nlohmann::ordered_json;

ordered_json polynomial_schema(SchemaMaker& maker) {
  const ordered_json numbers = maker.of<std::vector<double>>();
  return object_schema({{"centre", numbers},
                        {"scale", numbers},
                        {"monomials", described(maker.of<std::vector<std::vector<int>>>(), "exponents of each size")},
                        {"coefficients", numbers}});
}

ordered_json piece_schema(SchemaMaker& maker) {
  const ordered_json number = maker.of<double>();
  return object_schema({{"box", maker.of<model::Box>()},
                        {"polynomial", polynomial_schema(maker)},
                        {"floor_seconds", number},
                        {"error", object_schema({{"maximum", number}, {"mean", number}, {"median", number}, {"deviation", number}})},
                        {"samples", maker.of<std::int64_t>()},
                        {"bytes_low", number},
                        {"bytes_high", described(number, "missing if there is no upper end")}},
                       {"bytes_high"});
}

ordered_json options_schema(SchemaMaker& maker) {
  const ordered_json number = maker.of<double>(), whole = maker.of<std::int64_t>(), text = maker.of<std::string>();
  return object_schema({{"arguments", maker.of<std::map<std::string, std::string>>()},
                        {"complete", maker.of<bool>()},
                        {"cache", text},
                        {"minimum_width", whole},
                        {"grid", text},
                        {"error_bound", number},
                        {"minimum_size", whole},
                        {"degree", whole},
                        {"oversampling", whole},
                        {"error_type", {{"enum", {"maximum", "mean", "median"}}}},
                        {"basis", text},
                        {"reuse", maker.of<bool>()},
                        {"maximum_depth", whole},
                        {"measurements", whole},
                        {"thresholds", maker.of<std::vector<double>>()}},
                       {"cache", "minimum_width", "grid", "error_bound", "minimum_size", "degree", "oversampling", "error_type", "basis",
                        "reuse", "maximum_depth", "measurements", "thresholds"});
}

}  // namespace

ordered_json SchemaOf<model::Box>::make(SchemaMaker& maker) {
  const ordered_json corner = maker.of<std::vector<std::int64_t>>();
  return object_schema({{"low", corner}, {"high", corner}});
}

ordered_json SchemaOf<model::Model>::make(SchemaMaker& maker) {
  const ordered_json cost = object_schema({{"samples", maker.of<std::int64_t>()}, {"seconds", maker.of<double>()}});
  return object_schema({{"key", maker.of<ModelKey>()},
                        {"generator", maker.of<std::string>()},
                        {"options", options_schema(maker)},
                        {"sizes", described(maker.of<std::vector<std::string>>(), "names of the sizes")},
                        {"domain", maker.of<std::vector<model::Box>>()},
                        {"pieces", array_schema(piece_schema(maker))},
                        {"cost", cost},
                        {"footprint_bytes", polynomial_schema(maker)}},
                       {"footprint_bytes"});
}

}  // namespace flopcast
