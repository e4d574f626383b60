#include "flopcast/support/schema.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "flopcast/support/json.hpp"

namespace flopcast {

using nlohmann::ordered_json;

ordered_json object_schema(const std::vector<std::pair<std::string, ordered_json>>& members, const std::vector<std::string>& optional) {
  ordered_json object = {{"type", "object"}, {"properties", ordered_json::object()}};
  for (const auto& [name, schema] : members) {
    const bool required = std::find(optional.begin(), optional.end(), name) == optional.end();
    add_member(object, name, schema, required);
  }
  return object;
}

ordered_json array_schema(ordered_json elements) { return {{"type", "array"}, {"items", std::move(elements)}}; }

ordered_json described(ordered_json schema, std::string_view description) {
  if (!description.empty()) {
    schema["description"] = description;
  }
  return schema;
}

void add_member(ordered_json& object, const std::string& name, ordered_json schema, bool required) {
  const std::string_view unit = schema.contains("unit") ? std::string_view() : unit_of(name);
  object["properties"][name] = schema_detail::with_unit(std::move(schema), unit);
  if (required) {
    object["required"].push_back(name);
  }
}

namespace {

/// Returns whether values may be of this type of JSON.
bool may_be(const ordered_json& schema, std::string_view type) {
  const auto types = schema.find("type");
  return types != schema.end() && (*types == type || (types->is_array() && std::find(types->begin(), types->end(), type) != types->end()));
}

void add_bounds_of_number(ordered_json& schema, const Bounds& bounds) {
  const auto set = [&](const char* name, double limit) {
    if (!std::isfinite(limit)) {
      return;
    }
    if (may_be(schema, "integer")) {
      schema[name] = static_cast<std::int64_t>(limit);
    } else {
      schema[name] = limit;
    }
  };
  set(bounds.above_min ? "exclusiveMinimum" : "minimum", bounds.min);
  set("maximum", bounds.max);
  if (bounds.above_min) {
    schema.erase("minimum");
  }
}

void add_bounds_of_text(ordered_json& schema, const Bounds& bounds) {
  if (bounds.min_length > 0) {
    schema["minLength"] = bounds.min_length;
  }
  schema["maxLength"] = bounds.max_length;
  if (bounds.is_path) {
    schema["format"] = "path";
  }
}

}  // namespace

namespace schema_detail {

std::string name_in_schema(std::string_view pretty) {
  constexpr std::string_view begin = "T = ";
  std::string_view name = pretty.substr(pretty.find(begin) + begin.size());
  name = name.substr(0, name.find_first_of(";]"));
  for (const std::string_view left_out : {"flopcast::", "{anonymous}::", "(anonymous namespace)::"}) {
    name.remove_prefix(name.starts_with(left_out) ? left_out.size() : 0);
  }
  std::string text;
  for (const char letter : name) {
    if (letter != ':') {
      text += letter;
    } else if (!text.empty() && text.back() != '.') {
      text += '.';
    }
  }
  return text;
}

ordered_json with_unit(ordered_json schema, std::string_view unit) {
  if (!unit.empty()) {
    schema["unit"] = unit;
  }
  return schema;
}

void add_bounds(ordered_json& schema, const Bounds& bounds) {
  if (schema.contains("anyOf")) {
    for (ordered_json& alternative : schema["anyOf"]) {
      add_bounds(alternative, bounds);
    }
  }
  if (may_be(schema, "number") || may_be(schema, "integer")) {
    add_bounds_of_number(schema, bounds);
  }
  if (may_be(schema, "string")) {
    add_bounds_of_text(schema, bounds);
  }
  if (may_be(schema, "array")) {
    if (bounds.min_elements > 0) {
      schema["minItems"] = bounds.min_elements;
    }
    add_bounds(schema["items"], bounds);
    if (bounds.is_command && may_be(schema["items"], "string")) {  // not a list of commands
      ordered_json program = schema["items"];
      program["minLength"] = 1;
      schema["prefixItems"] = ordered_json::array({std::move(program)});
    }
  }
  if (may_be(schema, "object") && schema.contains("additionalProperties")) {
    add_bounds(schema["additionalProperties"], bounds);
  }
}

void add_limits(ordered_json& schema, const Field& field) {
  if (field.bounds) {
    add_bounds(schema, *field.bounds);
  }
  if (!field.choices.empty()) {
    ordered_json& text = may_be(schema, "array") ? schema["items"] : schema;
    text["enum"] = field.choices;
  }
}

ordered_json or_null(ordered_json schema) {
  if (schema.contains("type") && schema["type"].is_string()) {
    schema["type"] = ordered_json::array({schema["type"], "null"});
    return schema;
  }
  if (!schema.contains("anyOf")) {
    schema = {{"anyOf", ordered_json::array({std::move(schema)})}};
  }
  schema["anyOf"].push_back({{"type", "null"}});
  return schema;
}

}  // namespace schema_detail

ordered_json SchemaMaker::object(const Fields& fields, const void* defaults) {
  ordered_json schema = object_schema({});
  if (others_ == OtherMembers::refused) {
    schema["additionalProperties"] = false;
  }
  add_members(schema, fields, defaults);
  return schema;
}

void SchemaMaker::add_members(ordered_json& object, const Fields& fields, const void* defaults) {
  for (const Field& field : fields) {
    const void* member = field.in(defaults);
    if (field.inlined != nullptr) {
      add_members(object, field.inlined(), member);
      continue;
    }
    ordered_json schema = described(schema_detail::with_unit(field.type->schema(*this), field.unit()), field.description);
    const bool may_lack_value = field.type->has_value != nullptr;
    if (others_ == OtherMembers::refused && !field.required && !may_lack_value) {
      nlohmann::json value;
      field.type->write(value, member);
      if (nlohmann::json::parse(value.dump()) == value) {  // false for infinity, which is written as null
        schema["default"] = value;
      }
    }
    schema_detail::add_limits(schema, field);
    add_member(object, std::string(field.name), std::move(schema), field.required && !may_lack_value);
  }
}

ordered_json SchemaMaker::document(const std::string& name, const std::string& title, ordered_json root) const {
  constexpr std::string_view own = "flopcast-";
  const std::string id = "urn:flopcast:" + name.substr(name.starts_with(own) ? own.size() : 0);
  ordered_json document = {{"$schema", "https://json-schema.org/draft/2020-12/schema"}, {"$id", id}, {"title", title}};
  if (others_ == OtherMembers::ignored) {
    ordered_json members = {{"schema", {{"const", name}}}};
    members.update(root["properties"]);
    members["schema"] = {{"const", name}};
    root["properties"] = std::move(members);
    ordered_json required = root.value("required", ordered_json::array());
    if (std::find(required.begin(), required.end(), "schema") == required.end()) {
      required.insert(required.begin(), "schema");
    }
    root["required"] = std::move(required);
  }
  document.update(root);
  for (const auto& [definition, schema] : definitions_) {
    document["$defs"][definition] = schema;
  }
  return document;
}

PublishedSchema published(const std::string& name, const std::string& title, std::function<ordered_json(SchemaMaker&)> root) {
  return {name, title, [name, title, make = std::move(root)] {
            SchemaMaker maker;
            ordered_json object = make(maker);
            return maker.document(name, title, std::move(object));
          }};
}

namespace {

const ordered_json& resolved(const ordered_json& schema, const ordered_json& document) {
  return schema.contains("$ref") ? document.at(ordered_json::json_pointer(schema.at("$ref").get<std::string>().substr(1))) : schema;
}

void require_in(const nlohmann::json& value, const ordered_json& reference, const ordered_json& document);

void require_number(const nlohmann::json& value, const ordered_json& schema) {
  const auto number = value.get<double>();
  const bool is_above = schema.contains("exclusiveMinimum");
  const auto limit = [&](const char* name, double otherwise) { return schema.contains(name) ? schema.at(name).get<double>() : otherwise; };
  const double min = limit(is_above ? "exclusiveMinimum" : "minimum", -Bounds::none), max = limit("maximum", Bounds::none);
  if (number >= min && number <= max && !(is_above && number == min)) {
    return;
  }
  json_detail::refuse(value,
                      std::isfinite(max) ? fmt::format("{}{} to {}", is_above ? "above " : "", min, max) : fmt::format("{} or more", min));
}

void require_text(const std::string& text, const ordered_json& schema) {
  const auto bytes = static_cast<std::int64_t>(text.size());
  if (bytes < schema.value("minLength", std::int64_t{0})) {
    throw MemberError("", "an empty text given, expected one");
  }
  if (const auto max = schema.value("maxLength", std::numeric_limits<std::int64_t>::max()); bytes > max) {
    throw MemberError("", fmt::format("a text of {} bytes given, expected {} at most", bytes, max));
  }
  if (schema.contains("enum") && std::find(schema["enum"].begin(), schema["enum"].end(), text) == schema["enum"].end()) {
    json_detail::refuse(text, fmt::format("one of {}", fmt::join(schema["enum"].get<std::vector<std::string>>(), ", ")));
  }
  if (text.find('\0') != std::string::npos) {
    throw MemberError("", "a text with a zero byte given, expected one without");
  }
  if (const std::string fault = schema.value("format", "") == "path" ? path_fault(text) : std::string(); !fault.empty()) {
    throw MemberError("", fault);
  }
}

void require_list(const nlohmann::json& list, const ordered_json& schema, const ordered_json& document) {
  const auto min = schema.value("minItems", std::size_t{0}), max = schema.value("maxItems", std::numeric_limits<std::size_t>::max());
  if (list.empty() && min > 0) {
    throw MemberError("", "an empty list given, expected at least one element");
  }
  if (list.size() > max) {
    throw MemberError("", fmt::format("a list of {} elements given, expected {} at most", list.size(), max));
  }
  for (std::size_t i = 0; i < list.size(); ++i) {
    at_place(json_detail::place(i), [&] {
      const bool has_own = schema.contains("prefixItems") && i < schema.at("prefixItems").size();
      require_in(list[i], has_own ? schema.at("prefixItems")[i] : schema.at("items"), document);
    });
  }
}

void require_members(const nlohmann::json& value, const ordered_json& schema, const ordered_json& document) {
  const ordered_json none = ordered_json::object();
  const ordered_json& members = schema.contains("properties") ? schema.at("properties") : none;
  const ordered_json& others = schema.contains("additionalProperties") ? schema.at("additionalProperties") : none;
  if (const auto max = schema.value("maxProperties", std::numeric_limits<std::size_t>::max()); value.size() > max) {
    throw MemberError("", fmt::format("an object of {} members given, expected {} at most", value.size(), max));
  }
  for (const auto& [name, member] : value.items()) {
    if (!members.contains(name) && others == false) {
      std::string known;
      for (const auto& [other, unused] : members.items()) {
        known += (known.empty() ? "" : ", ") + other;
      }
      throw MemberError(name, "no such member; expected " + (known.empty() ? "none" : "one of " + known));
    }
    const ordered_json& own = members.contains(name) ? members.at(name) : others;
    at_place(name, [&member = member, &own, &document] { require_in(member, own, document); });
  }
}

bool is_of_type(const nlohmann::json& value, const ordered_json& schema) {
  return (value.is_number() && (may_be(schema, "number") || may_be(schema, "integer"))) ||
         (value.is_string() && may_be(schema, "string")) || (value.is_array() && may_be(schema, "array")) ||
         (value.is_object() && may_be(schema, "object"));
}

/// Values of other types than the schema's are the reader's to refuse.
void require_in(const nlohmann::json& value, const ordered_json& reference, const ordered_json& document) {
  const ordered_json& schema = resolved(reference, document);
  if (schema.contains("anyOf")) {
    for (const ordered_json& alternative : schema.at("anyOf")) {
      if (is_of_type(value, resolved(alternative, document))) {
        require_in(value, alternative, document);
      }
    }
  } else if (!is_of_type(value, schema)) {
    return;
  } else if (value.is_number()) {
    require_number(value, schema);
  } else if (value.is_string()) {
    require_text(value.get_ref<const std::string&>(), schema);
  } else if (value.is_array()) {
    require_list(value, schema, document);
  } else {
    require_members(value, schema, document);
  }
}

}  // namespace

void require_members_and_bounds(const nlohmann::json& value, const ordered_json& schema) { require_in(value, schema, schema); }

}  // namespace flopcast
