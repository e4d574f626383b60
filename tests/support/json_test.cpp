#include "flopcast/support/json.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "tests/message_of.hpp"

namespace flopcast {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using tests::bad_input_of;

std::string complaint_about(const std::string& text, WrittenBy author = WrittenBy::program) {
  return bad_input_of([&] { parse_json(text, "a.json", author); });
}

TEST(Json, SyntaxErrorsAreLocated) {
  EXPECT_EQ(complaint_about(""), "a.json is empty; expected a JSON document");
  EXPECT_THAT(complaint_about("{\"a\": 1,\n  x}"), HasSubstr("a.json is no JSON document: error at line 2, column 3"));
  EXPECT_THAT(complaint_about("{\"a\": [1, 2"), HasSubstr("a.json is cut off"));
  EXPECT_THAT(complaint_about("[\"\xff\"]"), HasSubstr("no JSON document"));
  EXPECT_EQ(complaint_about(R"({"a": {"b": [0, 1e999]}})"), "a.json: member a.b[1] is 1e999; expected a number that fits a double");
  EXPECT_EQ(complaint_about("1e999"), "a.json: it is 1e999; expected a number that fits a double");
  EXPECT_EQ(complaint_about(R"({"a": [{"b": 1, "b": 2}]})", WrittenBy::hand), "a.json has two members \"b\" in one object");
  EXPECT_EQ(parse_json(R"({"b": 1, "b": 2})", "a.json")["b"], 2);
}

TEST(Json, DeepNestingIsRefused) {
  const auto nested = [](std::size_t levels) { return std::string(levels, '[') + std::string(levels, ']'); };
  EXPECT_NO_THROW(parse_json(nested(100), "a.json"));
  EXPECT_THAT(complaint_about(nested(101)), HasSubstr("nested deeper than 100 levels"));
  EXPECT_THAT(complaint_about(std::string(1 << 20, '[')), HasSubstr("nested deeper"));
  EXPECT_NO_THROW(parse_json('"' + std::string(1000, '[') + '"', "a.json")) << "of a text it is no nesting";
}

std::string complaint_about_member(const std::function<void()>& read) {
  return bad_input_of([&] { in_document("a.json", read); });
}

TEST(Json, MembersAreReadWithoutLoss) {
  const json document = json::parse(R"({"whole": 5, "negative": -1, "large": 4294967296, "number": 0.5, "truth": true, "text": "x",
                                        "list": [1, 2.5, 3], "numbers": {"a": 1, "b": "x"}, "inner": {"list": [1, 2]}})");
  EXPECT_EQ(member<int>(document, "whole"), 5);
  EXPECT_EQ(member<double>(document, "whole"), 5);
  EXPECT_EQ(member<std::int64_t>(document, "large"), std::int64_t{1} << 32);
  EXPECT_THAT(member<std::vector<double>>(document, "list"), ElementsAre(1, 2.5, 3));
  EXPECT_EQ(member_or(document, "whole", 7), 5);
  EXPECT_EQ(member_or(document, "absent", 7), 7);
  const auto complaint = [&](auto value, const char* name) {
    return complaint_about_member([&] { static_cast<void>(member<decltype(value)>(document, name)); });
  };
  EXPECT_EQ(complaint(0, "absent"), "a.json is damaged: member absent: it is missing");
  EXPECT_EQ(complaint(0, "text"), "a.json is damaged: member text: \"x\" given, expected a whole number from -2147483648 to 2147483647");
  EXPECT_THAT(complaint(0, "large"), HasSubstr("member large: 4294967296 given"));
  EXPECT_THAT(complaint(0, "number"), HasSubstr("member number: 0.5 given"));
  EXPECT_THAT(complaint(0, "truth"), HasSubstr("member truth: true given"));
  EXPECT_THAT(complaint(std::size_t{0}, "negative"), HasSubstr("member negative: -1 given, expected a whole number of 0 or more"));
  EXPECT_THAT(complaint(true, "whole"), HasSubstr("member whole: 5 given, expected true or false"));
  EXPECT_THAT(complaint(std::string(), "whole"), HasSubstr("member whole: 5 given, expected a text"));
  EXPECT_THAT(complaint(std::vector<int>(), "list"), HasSubstr("member list[1]: 2.5 given"));
  EXPECT_THAT(complaint(std::map<std::string, double>(), "numbers"), HasSubstr("member numbers.b: \"x\" given, expected a number"));
  EXPECT_THAT(complaint(std::vector<int>(), "inner"), HasSubstr("member inner: {\"list\":[1,2]} given, expected an array"));
  EXPECT_THAT(complaint_about_member([&] { static_cast<void>(member<int>(json::array(), "a")); }),
              HasSubstr("the document: [] given, expected an object"));
  EXPECT_THAT(complaint_about_member([&] { static_cast<void>(member_or(json(3), "a", 1)); }), HasSubstr("expected an object"));
  EXPECT_THAT(complaint_about_member([&] {
                for_each_element(document, "list", [](const json& item) {
                  int whole = 0;
                  read_value(item, whole);
                });
              }),
              HasSubstr("member list[1]: 2.5 given"));
}

TEST(Json, LongValuesAreShownInShort) {
  EXPECT_EQ(shown(json(3)), "3");
  EXPECT_EQ(shown(json(std::string(100, 'x'))), '"' + std::string(59, 'x') + "...");
  EXPECT_EQ(shown(json(std::vector<int>(100, 1))), "an array of 100");
}

}  // namespace
}  // namespace flopcast
