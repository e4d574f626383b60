#include "flopcast/support/fields.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace flopcast {

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
  for (const std::string_view end : {"_interval", "_interval_95"}) {
    if (name.ends_with(end)) {
      name.remove_suffix(end.size());
    }
  }
  const auto fits = [name](const auto& unit) {
    return name == unit.first || (name.ends_with(unit.first) && name[name.size() - unit.first.size() - 1] == '_');
  };
  const auto* const found = std::find_if(units.begin(), units.end(), fits);
  return found == units.end() ? "" : found->second;
}

Best usual_best(std::string_view unit) {
  return unit == "s"                                                                     ? Best::small
         : unit == "flop/s" || unit == "B/s" || unit == "flop/cycle" || unit == "flop/B" ? Best::large
                                                                                         : Best::neither;
}

namespace fields_detail {

Fields made(Fields (*make)()) { return make(); }

const Field& field_at(const Fields& fields, std::size_t offset, std::string_view name) {
  const auto found = std::find_if(fields.begin(), fields.end(),
                                  [offset](const Field& field) { return field.offset == offset && field.inlined == nullptr; });
  if (found == fields.end()) {
    throw internal_error("no document has the member {}", name);
  }
  return *found;
}

void write(nlohmann::json& json, const void* structure, const Fields& fields) {
  for (const Field& field : fields) {
    const void* member = field.in(structure);
    if (field.is_dropped_if_empty && field.type->is_empty(member)) {
      continue;
    }
    if (field.inlined != nullptr) {
      write(json, member, field.inlined());
    } else if (field.type->has_value == nullptr || field.type->has_value(member)) {
      field.type->write(json[std::string(field.name)], member);
    }
  }
}

namespace {

/// Returns the name that a member has in a document. Earlier documents have peak_flops in place of peak_flops_per_second.
std::string name_in(const nlohmann::json& members, std::string_view name) {
  static constexpr std::string_view ending = "_per_second";
  if (name.ends_with("_flops_per_second") && members.find(std::string(name)) == members.end()) {
    const std::string earlier(name.substr(0, name.size() - ending.size()));
    return members.find(earlier) != members.end() ? earlier : std::string(name);
  }
  return std::string(name);
}

}  // namespace

void read(const nlohmann::json& json, void* structure, const Fields& fields) {
  static const nlohmann::json null;
  const nlohmann::json& members = json_detail::members(json);
  for (const Field& field : fields) {
    void* member = field.in(structure);
    if (field.inlined != nullptr) {
      read(json, member, field.inlined());
      continue;
    }
    const std::string name = name_in(members, field.name);
    const auto found = members.find(name);
    if (found == members.end() && field.type->has_value != nullptr) {
      field.type->read(null, member);
    } else if (field.required || found != members.end()) {
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

}  // namespace fields_detail

}  // namespace flopcast
