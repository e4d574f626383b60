#include "flopcast/support/schema.hpp"

#include <gmock/gmock.h>

#include <array>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "flopcast/support/fields.hpp"
#include "tests/schema_check.hpp"

namespace flopcast {
namespace schema_test {

enum class Colour { red, blue };

struct Inner {
  double measuring_seconds = 0;
  std::optional<std::string> remark;
};

struct Base {
  bool quick = true;
};

struct Outer {
  Base base;
  std::vector<Inner> parts;
  std::array<std::int64_t, 2> range = {1, 2};
  std::map<std::string, int> sizes;
  std::uint64_t seed = 7;
  Colour colour = Colour::blue;
  double budget = std::numeric_limits<double>::infinity();
};

}  // namespace schema_test

template <>
struct EnumNames<schema_test::Colour> {
  static constexpr std::array names{std::pair{schema_test::Colour::red, "red"}, std::pair{schema_test::Colour::blue, "blue"}};
};
template <>
Fields FieldTable<schema_test::Inner>::fields() {
  return {field<&T::measuring_seconds>("time of it"), field<&T::remark>()};
}
template <>
Fields FieldTable<schema_test::Base>::fields() {
  return {optional_field<&T::quick>()};
}
template <>
Fields FieldTable<schema_test::Outer>::fields() {
  return {inlined_field<&T::base>(),  field<&T::parts>(),           field<&T::range>(),          field<&T::sizes>(),
          optional_field<&T::seed>(), optional_field<&T::colour>(), optional_field<&T::budget>()};
}

namespace {

using schema_test::Outer;

nlohmann::ordered_json outer_schema(OtherMembers others = OtherMembers::ignored) {
  SchemaMaker maker(others);
  nlohmann::ordered_json root = maker.object<Outer>();
  return maker.document("flopcast-outer-1", "Outer", std::move(root));
}

TEST(Schema, DescribesTheMembersOfATable) {
  const nlohmann::ordered_json schema = outer_schema();
  EXPECT_EQ(schema.at("required"), (nlohmann::ordered_json{"schema", "parts", "range", "sizes"}));
  const nlohmann::ordered_json& members = schema.at("properties");
  EXPECT_EQ(members.begin().key(), "schema");
  EXPECT_EQ(members.at("quick"), (nlohmann::ordered_json{{"type", "boolean"}}));
  EXPECT_EQ(members.at("parts").at("items").at("$ref"), "#/$defs/schema_test.Inner");
  EXPECT_EQ(members.at("range").at("maxItems"), 2);
  EXPECT_EQ(members.at("sizes").at("additionalProperties").at("type"), "integer");
  EXPECT_EQ(members.at("seed").at("minimum"), 0);
  EXPECT_EQ(members.at("colour"), (nlohmann::ordered_json{{"enum", {"red", "blue"}}}));
  const nlohmann::ordered_json& inner = schema.at("$defs").at("schema_test.Inner");
  EXPECT_EQ(inner.at("required"), nlohmann::ordered_json{"measuring_seconds"});
  EXPECT_EQ(inner.at("properties").at("measuring_seconds").at("unit"), "s");
  EXPECT_EQ(inner.at("properties").at("measuring_seconds").at("description"), "time of it");
}

TEST(Schema, FitsWhatTheTableWritesAndNothingElse) {
  const nlohmann::ordered_json schema = outer_schema();
  Outer value;
  value.parts = {{0.5, "a remark"}, {1, std::nullopt}};
  value.budget = 3;
  const nlohmann::json document = to_document(value, "flopcast-outer-1");
  const tests::SchemaCheck check(schema);
  EXPECT_EQ(check.violation(document), "");
  for (const auto& [name, wrong] : std::map<std::string, nlohmann::json>{{"parts", {{{"remark", "no time"}}}},
                                                                         {"range", {1, 2, 3}},
                                                                         {"sizes", {{"m", "four"}}},
                                                                         {"seed", -1},
                                                                         {"colour", "green"},
                                                                         {"quick", 1},
                                                                         {"schema", "flopcast-outer-2"},
                                                                         {"unknown", 1}}) {
    nlohmann::json damaged = document;
    damaged[name] = wrong;
    EXPECT_NE(check.violation(damaged), "") << name;
  }
}

TEST(Schema, OfARequestTellsDefaultsAndRefusesOtherMembers) {
  const nlohmann::ordered_json schema = outer_schema(OtherMembers::refused);
  EXPECT_FALSE(schema.at("properties").contains("schema"));
  EXPECT_EQ(schema.at("additionalProperties"), false);
  EXPECT_EQ(schema.at("properties").at("seed").at("default"), 7);
  EXPECT_EQ(schema.at("properties").at("colour").at("default"), "blue");
  EXPECT_EQ(schema.at("properties").at("quick").at("default"), true);
  EXPECT_FALSE(schema.at("properties").at("budget").contains("default"));  // JSON has no infinity
  EXPECT_FALSE(schema.at("properties").at("range").contains("default"));   // required
  EXPECT_NO_THROW(require_members_and_bounds({{"seed", 1}, {"parts", {{{"measuring_seconds", 1}}}}}, schema));
  const auto fault = [&](const nlohmann::json& request) -> std::string {
    try {
      require_members_and_bounds(request, schema);
    } catch (const MemberError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_THAT(fault({{"sead", 1}}), ::testing::HasSubstr("sead: no such member; expected one of quick, parts,"));
  EXPECT_THAT(fault({{"parts", {{{"measuring_seconds", 1}}, {{"seconds", 1}}}}}), ::testing::HasSubstr("parts[1].seconds"));
}

}  // namespace
}  // namespace flopcast
