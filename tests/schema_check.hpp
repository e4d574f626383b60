#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

/// A validator of JSON Schema, as far as flopcast's schemas go (tests/documents compares it with python3-jsonschema). It is stricter in one
/// point: an object has no other members than its schema names, since a test is to find members that were never published.
namespace flopcast::tests {

class SchemaCheck {
 public:
  explicit SchemaCheck(const nlohmann::ordered_json& schema) : root_(schema) {}

  /// Returns the first violation, "parts[0].cost: 'timings' is missing"; empty if there is none.
  [[nodiscard]] std::string violation(const nlohmann::json& document) const { return of(document, root_, ""); }

 private:
  using Json = nlohmann::json;
  using Schema = nlohmann::ordered_json;

  static bool is_type(const Json& value, const std::string& type) {
    return type == "object"    ? value.is_object()
           : type == "array"   ? value.is_array()
           : type == "string"  ? value.is_string()
           : type == "integer" ? value.is_number_integer()
           : type == "number"  ? value.is_number()
           : type == "boolean" ? value.is_boolean()
           : type == "null"    ? value.is_null()
                               : throw std::runtime_error("unknown type " + type);
  }

  static bool has_type(const Json& value, const Schema& types) {
    return types.is_string() ? is_type(value, types)
                             : std::any_of(types.begin(), types.end(), [&](const Schema& type) { return is_type(value, type); });
  }

  std::string of(const Json& value, const Schema& given, const std::string& place) const {
    const Schema& schema = given.contains("$ref") ? root_.at(Schema::json_pointer(given.at("$ref").get<std::string>().substr(1))) : given;
    const auto fault = [&place](const std::string& text) { return (place.empty() ? "the document" : place) + ": " + text; };
    if (schema.contains("type") && !has_type(value, schema.at("type"))) {
      return fault(value.dump().substr(0, 60) + " isn't of type " + schema.at("type").dump());
    }
    if (schema.contains("const") && Json(schema.at("const")) != value) {
      return fault(value.dump() + " isn't " + schema.at("const").dump());
    }
    if (schema.contains("enum") && std::count(schema.at("enum").begin(), schema.at("enum").end(), Schema(value)) == 0) {
      return fault(value.dump() + " is none of " + schema.at("enum").dump());
    }
    if (value.is_number() && schema.contains("minimum") && value < Json(schema.at("minimum"))) {
      return fault(value.dump() + " is below the minimum");
    }
    if (value.is_number() && schema.contains("exclusiveMinimum") && value <= Json(schema.at("exclusiveMinimum"))) {
      return fault(value.dump() + " isn't above the minimum");
    }
    for (const char* several : {"anyOf", "oneOf"}) {
      if (schema.contains(several)) {
        const auto fits = std::count_if(schema.at(several).begin(), schema.at(several).end(),
                                        [&](const Schema& one) { return of(value, one, place).empty(); });
        if (fits == 0 || (fits > 1 && std::string(several) == "oneOf")) {
          return fault(value.dump().substr(0, 60) + " fits " + std::to_string(fits) + " of " + several);
        }
      }
    }
    return value.is_array() ? of_array(value, schema, place) : value.is_object() ? of_object(value, schema, place) : std::string();
  }

  std::string of_array(const Json& value, const Schema& schema, const std::string& place) const {
    const std::size_t first = schema.contains("prefixItems") ? schema.at("prefixItems").size() : 0;
    if (value.size() < schema.value("minItems", std::size_t{0}) || value.size() > schema.value("maxItems", value.size())) {
      return place + ": an array of " + std::to_string(value.size());
    }
    for (std::size_t i = 0; i < value.size(); ++i) {
      const std::string element = place + '[' + std::to_string(i) + ']';
      std::string found;
      if (i < first) {
        found = of(value[i], schema.at("prefixItems")[i], element);
      } else if (schema.contains("items")) {
        found = of(value[i], schema.at("items"), element);
      }
      if (!found.empty()) {
        return found;
      }
    }
    return "";
  }

  std::string of_object(const Json& value, const Schema& schema, const std::string& place) const {
    const auto at = [&place](const std::string& name) { return place + (place.empty() ? "" : ".") + name; };
    for (const Schema& name : schema.value("required", Schema::array())) {
      if (!value.contains(name.get<std::string>())) {
        return at(name) + ": is missing";
      }
    }
    const Schema members = schema.value("properties", Schema::object());
    for (const auto& [name, member] : value.items()) {
      std::string found;
      if (members.contains(name)) {
        found = of(member, members.at(name), at(name));
      } else if (schema.contains("additionalProperties") && schema.at("additionalProperties").is_object()) {
        found = of(member, schema.at("additionalProperties"), at(name));
      } else if (schema.contains("properties")) {
        found = at(name) + ": isn't in the schema";
      }
      if (!found.empty()) {
        return found;
      }
    }
    return "";
  }

  const nlohmann::ordered_json& root_;
};

/// Returns the violation of the published schema that a document names; a text that says so if none of `schemas` has the name.
template <class Schemas>
std::string schema_violation(const std::string& text, const Schemas& schemas) {
  const nlohmann::json document = nlohmann::json::parse(text, nullptr, false);
  const std::string name = document.is_object() ? document.value("schema", "") : "";
  for (const auto& one : schemas) {
    if (one.name == name) {
      const nlohmann::ordered_json schema = one.make();
      return SchemaCheck(schema).violation(document);
    }
  }
  return "no schema '" + name + "' is published";
}

}  // namespace flopcast::tests
