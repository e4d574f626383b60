// Every command and each of its members with values that no request may have: empty, huge, negative, not finite, of another type. All are
// refused with the member's name before anything is done. The values follow from the published schema of requests.
#include <gmock/gmock.h>

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "flopcast/support/error.hpp"
#include "flopcast/tasks/ask/ask.hpp"
#include "tests/message_of.hpp"

namespace flopcast {
namespace {

using nlohmann::ordered_json;
using ::testing::HasSubstr;
using tests::bad_input_of;

const ordered_json& requests() {
  static const ordered_json schema = ordered_json::parse(flopcast::schema("request"));
  return schema;
}

const ordered_json& resolved(const ordered_json& schema) {
  return schema.contains("$ref") ? requests().at(ordered_json::json_pointer(schema.at("$ref").get<std::string>().substr(1))) : schema;
}

bool may_be(const ordered_json& schema, const char* type) {
  const ordered_json types = schema.value("type", ordered_json());
  return types == type || (types.is_array() && std::find(types.begin(), types.end(), type) != types.end());
}

std::vector<int> too_long(const ordered_json& list) { return std::vector<int>(list.at("maxItems").get<std::size_t>() + 1, 1); }

/// Returns values that a member of this schema must not have.
std::vector<ordered_json> refused_values(const ordered_json& reference) {
  const ordered_json& schema = resolved(reference);
  if (schema.contains("anyOf")) {
    const ordered_json& first = resolved(schema.at("anyOf")[0]);
    if (!may_be(resolved(schema.at("anyOf")[1]), "array")) {
      return refused_values(first);  // a value, null or a text
    }
    std::vector<ordered_json> values = {true, ordered_json::object(), -1, 1.5, 1e300, "", "x", "1:", "5:1", "1:1000000:1"};
    std::vector<ordered_json> elements = {-1, "x", 1e300};
    if (first.value("minimum", 0) > 0) {
      values.insert(values.end(), {0, "0:5"});
      elements.emplace_back(0);
    }
    for (const ordered_json& element : elements) {
      values.push_back(ordered_json::array({element}));
    }
    values.emplace_back(too_long(schema.at("anyOf")[1]));
    if (schema.at("anyOf")[1].value("minItems", 0) > 0) {
      values.push_back(ordered_json::array());
    }
    return values;
  }
  if (schema.contains("enum")) {
    std::vector<ordered_json> values = {"no such name", 1, true, ordered_json::array()};
    if (std::find(schema.at("enum").begin(), schema.at("enum").end(), "") == schema.at("enum").end()) {
      values.emplace_back("");
    }
    return values;
  }
  if (may_be(schema, "boolean")) {
    return {0, "true", ordered_json::array(), ordered_json::object()};
  }
  if (may_be(schema, "integer") || may_be(schema, "number")) {
    std::vector<ordered_json> values = {"x",   "",    true, ordered_json::array(), ordered_json::array({1}), ordered_json::object(),
                                        1e300, -1e300};
    if (may_be(schema, "integer")) {
      values.emplace_back(1.5);
    }
    if (schema.value("minimum", -1.0) >= 0) {
      values.emplace_back(-1);
    }
    return values;
  }
  if (may_be(schema, "string")) {
    std::vector<ordered_json> values = {1,
                                        true,
                                        ordered_json::array(),
                                        ordered_json::object(),
                                        std::string(schema.at("maxLength").get<std::size_t>() + 1, 'a'),
                                        std::string("a\0b", 3)};
    if (schema.value("minLength", 0) > 0) {
      values.emplace_back("");
    }
    if (schema.contains("format")) {
      values.emplace_back("folder/" + std::string(300, 'a'));
    }
    return values;
  }
  if (may_be(schema, "array")) {
    std::vector<ordered_json> values = {1, true, "x", ordered_json::object(), too_long(schema)};
    if (schema.value("minItems", 0) > 0) {
      values.push_back(ordered_json::array());
    }
    for (ordered_json& element : refused_values(schema.contains("prefixItems") ? schema.at("prefixItems")[0] : schema.at("items"))) {
      values.push_back(ordered_json::array({std::move(element)}));
    }
    return values;
  }
  std::vector<ordered_json> values = {1, true, "x", ordered_json::array({1})};
  if (schema.contains("additionalProperties") && schema.at("additionalProperties").is_object()) {
    for (const ordered_json& element : refused_values(schema.at("additionalProperties"))) {
      values.push_back({{"m", element}});
    }
  }
  return values;
}

/// Returns a value that a member may have.
ordered_json usual_value(const std::string& name, const ordered_json& reference) {
  const ordered_json& schema = resolved(reference);
  if (name == "notation" || name == "expression") {
    return "ai,ib->ab";
  }
  if (schema.contains("enum")) {
    return schema.at("enum")[0];
  }
  if (may_be(schema, "object")) {
    const bool has_ranges = resolved(schema.at("additionalProperties")).contains("items");
    return {{"m", has_ranges ? ordered_json::array({ordered_json::array({8, 16})}) : ordered_json(8)}};
  }
  if (may_be(schema, "array")) {
    return ordered_json::array({usual_value(name, schema.at("items"))});
  }
  return may_be(schema, "string") ? ordered_json("dgeqrf") : ordered_json(8);
}

ordered_json usual_request(const ordered_json& schema) {
  ordered_json request = ordered_json::object();
  for (const ordered_json& name : schema.value("required", ordered_json::array())) {
    request[name.get<std::string>()] = usual_value(name, schema.at("properties").at(name.get<std::string>()));
  }
  return request;
}

/// Reads a request as far as is done before its command begins.
void read_request(const std::string& request) { static_cast<void>(needs_own_process(request)); }

TEST(AskBounds, EveryMemberOfEveryRequestRefusesWhatItMustNotHave) {
  int tried = 0;
  for (const CommandSummary& command : commands()) {
    const ordered_json& schema = resolved(requests().at("properties").at(command.name));
    const ordered_json usual = usual_request(schema);
    EXPECT_NO_THROW(read_request(ordered_json{{command.name, usual}}.dump())) << command.name << usual;
    for (const auto& [name, member] : schema.at("properties").items()) {
      for (const ordered_json& value : refused_values(member)) {
        ordered_json members = usual;
        members[name] = value;
        const std::string request = ordered_json{{command.name, members}}.dump();
        EXPECT_THAT(bad_input_of([&] { read_request(request); }), HasSubstr(command.name + "." + name)) << request.substr(0, 200);
        ++tried;
      }
    }
  }
  EXPECT_GT(tried, 2000);
}

TEST(AskBounds, NumbersThatAreNotFiniteAreRefused) {
  for (const char* number : {"1e999", "-1e999"}) {
    const std::string request = R"({"tune": {"routine": "dgeqrf", "n": 100, "time_budget": )" + std::string(number) + "}}";
    EXPECT_THAT(bad_input_of([&] { read_request(request); }), HasSubstr("tune.time_budget"));
  }
  for (const char* number : {"NaN", "Infinity", "nan"}) {
    const std::string request = R"({"tune": {"routine": "dgeqrf", "n": 100, "time_budget": )" + std::string(number) + "}}";
    EXPECT_THAT(bad_input_of([&] { read_request(request); }), HasSubstr("no JSON document"));
  }
}

TEST(AskBounds, EveryDefaultLiesWithinTheLimits) {
  for (const CommandSummary& command : commands()) {
    const ordered_json& schema = resolved(requests().at("properties").at(command.name));
    for (const auto& [name, member] : schema.at("properties").items()) {
      if (member.contains("default")) {
        ordered_json request = usual_request(schema);
        request[name] = member.at("default");
        EXPECT_NO_THROW(read_request(ordered_json{{command.name, request}}.dump())) << command.name << "." << name;
      }
    }
  }
}

TEST(AskBounds, CombinationsAreCountedBeforeTheyAreMade) {
  const Workbench bench({.blas = "no such library"});
  const auto fault = [&](const std::string& request) { return bad_input_of([&] { static_cast<void>(ask(bench, request)); }); };
  EXPECT_THAT(fault(R"({"predict": {"routine": "dgeqrf", "sizes": {"m": "1:100000:1", "n": "1:100000:1"}, "time_budget": 0}})"),
              HasSubstr("more than 10000 problems"));
  EXPECT_THAT(fault(R"({"predict": {"routine": "dgeqrf", "n": "1:200:1", "nb": "1:200:1"}})"), HasSubstr("more than 10000 predictions"));
  EXPECT_THAT(fault(R"({"roofline_plan": {"m": "1:1000:1", "n": "1:1000:1", "k": "1:1000:1"}})"), HasSubstr("more than 100000 shapes"));
  EXPECT_THAT(fault(R"({"sample": {"calls": ["dgemm m=1:1000:1 n=1:1000:1 k=1:1000:1"]}})"), HasSubstr("more than 1000000 calls"));
}

TEST(AskBounds, ListsThatMustNotBeEmptyNameTheirMember) {
  for (const char* request :
       {R"({"predict": {"routine": "dgeqrf", "sizes": {"n": []}}})", R"({"rank": {"family": "qr", "sizes": {"n": []}}})",
        R"({"tune_jointly": {"family": "lu", "sizes": {"n": []}}})", R"({"tune": {"routine": "dgeqrf", "sizes": {"n": []}}})",
        R"({"trace": {"routine": "dgeqrf", "sizes": {"n": []}}})"}) {
    EXPECT_THAT(bad_input_of([&] { read_request(request); }), HasSubstr("sizes.n: an empty list given")) << request;
  }
  EXPECT_THAT(bad_input_of([] { read_request(R"({"run": {"command": []}})"); }), HasSubstr("run.command: an empty list given"));
  EXPECT_THAT(bad_input_of([] { read_request(R"({"record": {"command": [""]}})"); }), HasSubstr("record.command[0]: an empty text given"));
}

}  // namespace
}  // namespace flopcast
