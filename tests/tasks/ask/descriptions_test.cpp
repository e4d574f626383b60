#include <gtest/gtest.h>

#include <set>
#include <string>

#include <nlohmann/json.hpp>

#include "flopcast/tasks/ask/ask.hpp"

namespace flopcast {
namespace {

using nlohmann::json;

/// Adds the paths of the members below `schema` that have no description. The member "schema" of documents needs none: its value is fixed.
void find_undescribed(const json& schema, const std::string& path, std::set<std::string>& to) {
  const json properties = schema.value("properties", json::object());
  for (const auto& [name, member] : properties.items()) {
    if (!member.contains("const") && member.value("description", "").empty()) {
      to.insert(path + '.' + name);
    }
    find_undescribed(member, path + '.' + name, to);
  }
  for (const char* inner : {"items", "additionalProperties"}) {
    if (schema.contains(inner) && schema[inner].is_object()) {
      find_undescribed(schema[inner], path + "[]", to);
    }
  }
  const json alternatives = schema.value("anyOf", json::array());
  for (const json& alternative : alternatives) {
    find_undescribed(alternative, path, to);
  }
}

std::set<std::string> undescribed(const std::string& name) {
  const json document = json::parse(schema(name));
  std::set<std::string> all;
  find_undescribed(document, name, all);
  const json definitions = document.value("$defs", json::object());
  for (const auto& [definition, schema] : definitions.items()) {
    find_undescribed(schema, definition, all);
  }
  return all;
}

TEST(Schemas, DescribeEveryMember) {
  for (const SchemaTitle& one : schemas()) {
    EXPECT_EQ(undescribed(one.name), std::set<std::string>()) << one.name;
  }
}

}  // namespace
}  // namespace flopcast
