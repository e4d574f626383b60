#include "flopcast/support/fields.hpp"

#include <algorithm>

namespace flopcast::fields_detail {

void write(nlohmann::json& json, const void* structure, const Fields& fields) {
  for (const Field& field : fields) {
    const void* member = field.in(structure);
    if (field.inlined != nullptr) {
      write(json, member, field.inlined());
    } else if (field.type->has_value == nullptr || field.type->has_value(member)) {
      field.type->write(json[std::string(field.name)], member);
    }
  }
}

void read(const nlohmann::json& json, void* structure, const Fields& fields) {
  static const nlohmann::json null;
  const nlohmann::json& members = json_detail::members(json);
  for (const Field& field : fields) {
    void* member = field.in(structure);
    if (field.inlined != nullptr) {
      read(json, member, field.inlined());
      continue;
    }
    const auto found = members.find(std::string(field.name));
    if (found == members.end() && field.type->has_value != nullptr) {
      field.type->read(null, member);
    } else if (field.required || found != members.end()) {
      const std::string name(field.name);
      const nlohmann::json& value = json_detail::member(json, name.c_str());
      at_place(name, [&] { field.type->read(value, member); });
    }
  }
}

void copy_members(const Fields& from_fields, const void* from, const Fields& to_fields, void* to) {
  for (const Field& field : to_fields) {
    const auto same = std::find_if(from_fields.begin(), from_fields.end(),
                                   [&](const Field& one) { return one.name == field.name && one.type == field.type; });
    if (same != from_fields.end()) {
      nlohmann::json value;
      same->type->write(value, same->in(from));
      field.type->read(value, field.in(to));
    }
  }
}

nlohmann::ordered_json to_document(const void* structure, const Fields& fields, const char* schema) {
  nlohmann::json members = nlohmann::json::object();
  write(members, structure, fields);
  nlohmann::ordered_json document = {{"schema", schema}};
  document.update(nlohmann::ordered_json(members));
  return document;
}

}  // namespace flopcast::fields_detail
