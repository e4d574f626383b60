#include "flopcast/support/schema.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace flopcast {

using nlohmann::ordered_json;

ordered_json object_schema(const std::vector<std::pair<std::string, ordered_json>>& members, const std::vector<std::string>& optional) {
  ordered_json object = {{"type", "object"}, {"properties", ordered_json::object()}};
  for (const auto& [name, schema] : members) {
    const bool required = std::find(optional.begin(), optional.end(), name) == optional.end();
    add_member(object, name, schema_detail::member_schema(name, schema, ""), required);
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
  object["properties"][name] = std::move(schema);
  if (required) {
    object["required"].push_back(name);
  }
}

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

std::string_view unit_of(std::string_view name) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 9> units = {{{"flops_per_second", "flop/s"},
                                                                                   {"bytes_per_second", "B/s"},
                                                                                   {"flops_per_cycle", "flop/cycle"},
                                                                                   {"flops_per_byte", "flop/B"},
                                                                                   {"seconds", "s"},
                                                                                   {"bytes", "B"},
                                                                                   {"hertz", "Hz"},
                                                                                   {"gigahertz", "GHz"},
                                                                                   {"flops", "flop"}}};
  const auto fits = [name](const auto& unit) {
    return name == unit.first || (name.ends_with(unit.first) && name[name.size() - unit.first.size() - 1] == '_');
  };
  const auto* const found = std::find_if(units.begin(), units.end(), fits);
  return found == units.end() ? "" : found->second;
}

ordered_json member_schema(std::string_view name, ordered_json schema, std::string_view description) {
  if (const std::string_view unit = unit_of(name); !unit.empty() && !schema.contains("$ref")) {
    schema["unit"] = unit;
  }
  return described(std::move(schema), description);
}

ordered_json or_null(ordered_json schema) {
  if (schema.contains("type") && schema["type"].is_string()) {
    schema["type"] = ordered_json::array({schema["type"], "null"});
    return schema;
  }
  return {{"anyOf", ordered_json::array({std::move(schema), {{"type", "null"}}})}};
}

}  // namespace schema_detail

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

void refuse_in(const nlohmann::json& value, const ordered_json& reference, const ordered_json& document) {
  const ordered_json& schema = resolved(reference, document);
  if (value.is_array() && schema.contains("items")) {
    for (std::size_t i = 0; i < value.size(); ++i) {
      at_place(json_detail::place(i), [&] { refuse_in(value[i], schema.at("items"), document); });
    }
  }
  if (!value.is_object() || !schema.contains("properties")) {
    return;
  }
  const ordered_json& members = schema.at("properties");
  for (const auto& [name, member] : value.items()) {
    if (members.contains(name)) {
      at_place(name, [&name = name, &member = member, &members, &document] { refuse_in(member, members.at(name), document); });
    } else if (schema.contains("additionalProperties") && schema.at("additionalProperties") == false) {
      std::string known;
      for (const auto& [other, unused] : members.items()) {
        known += (known.empty() ? "" : ", ") + other;
      }
      throw MemberError(name, "no such member; expected " + (known.empty() ? "none" : "one of " + known));
    }
  }
}

}  // namespace

void refuse_other_members(const nlohmann::json& value, const ordered_json& schema) { refuse_in(value, schema, schema); }

}  // namespace flopcast
