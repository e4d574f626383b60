#include "flopcast/support/fields.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tests/message_of.hpp"

namespace flopcast {
namespace {

using tests::bad_input_of;

enum class Verdict { better, equal, worse };

struct Interval {
  double low = 0, high = 0;
  friend bool operator==(const Interval&, const Interval&) = default;
};

struct Choice {
  std::int64_t nb = 0;
  Verdict verdict = Verdict::equal;
  std::optional<Interval> seconds;
  friend bool operator==(const Choice&, const Choice&) = default;
};

/// Has a member of every kind that tables support.
struct Tuning {
  std::string routine;
  bool complete = false;
  int threads = 1;
  std::uint64_t seed = 0;
  std::array<std::int64_t, 2> range = {0, 0};
  std::vector<Choice> choices;
  std::map<std::string, std::vector<double>> rates;
  std::map<std::string, Choice> by_library;
  std::vector<std::optional<double>> gains;
  std::optional<Verdict> verdict;
  std::optional<std::string> note;
  std::string host = "unknown";
  friend bool operator==(const Tuning&, const Tuning&) = default;
};

}  // namespace

template <>
struct EnumNames<Verdict> {
  static constexpr std::array names{std::pair{Verdict::better, "better"}, std::pair{Verdict::equal, "equal"}};
};

template <>
Fields FieldTable<Interval>::fields() {
  return {field<&T::low>(), field<&T::high>()};
}

template <>
Fields FieldTable<Choice>::fields() {
  return {field<&T::nb>(), field<&T::verdict>(), field<&T::seconds>()};
}

template <>
Fields FieldTable<Tuning>::fields() {
  return {field<&T::routine>(), field<&T::complete>(), field<&T::threads>(), field<&T::seed>(),
          field<&T::range>(),   field<&T::choices>(),  field<&T::rates>(),   field<&T::by_library>(),
          field<&T::gains>(),   field<&T::verdict>(),  field<&T::note>(),    optional_field<&T::host>()};
}

namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::Not;

constexpr const char* schema = "flopcast-tuning-2";

Tuning example() {
  Tuning tuning;
  tuning.routine = "dgeqrf";
  tuning.complete = true;
  tuning.threads = 2;
  tuning.seed = std::numeric_limits<std::uint64_t>::max();
  tuning.range = {100, std::int64_t{1} << 60};
  tuning.choices = {{32, Verdict::better, Interval{0.1, 0.3}}, {64, Verdict::equal, std::nullopt}};
  tuning.rates = {{"blis", {}}, {"openblas", {1e9, 1.0 / 3}}};
  tuning.by_library = {{"blis", {96, Verdict::better, std::nullopt}}};
  tuning.gains = {1.5, std::nullopt};
  tuning.verdict = Verdict::better;
  tuning.host = "node7";
  return tuning;
}

json document() { return json::parse(to_document(example(), schema).dump()); }

Tuning read(const json& document) { return from_document<Tuning>(document.dump(), "t.json", schema); }

/// Returns the error for the example's document in which the value at `pointer` is another one.
std::string error_with(const std::string& pointer, const json& value) {
  json changed = document();
  changed[json::json_pointer(pointer)] = value;
  return bad_input_of([&] { read(changed); });
}

std::string error_without(const std::string& parent, const std::string& name) {
  json changed = document();
  changed[json::json_pointer(parent)].erase(name);
  return bad_input_of([&] { read(changed); });
}

TEST(Fields, WhatIsWrittenReadsBackEqual) {
  EXPECT_EQ(read(document()), example());
  EXPECT_EQ(read(json::parse(to_document(Tuning(), schema).dump())), Tuning());
}

TEST(Fields, EveryMemberCounts) {  // a table that forgot one would read its default
  const json whole = document();
  for (const auto& [name, value] : whole.items()) {
    if (name == "schema") {
      continue;
    }
    json other = whole;
    other.erase(name);
    const bool optional = name == "verdict" || name == "note" || name == "host";
    EXPECT_EQ(bad_input_of([&] { read(other); }) == "nothing was thrown", optional) << name;
  }
}

struct Rates {
  double peak_flops_per_second = 0, other_per_second = 0;
  friend bool operator==(const Rates&, const Rates&) = default;
};

}  // namespace

template <>
Fields FieldTable<Rates>::fields() {
  return {field<&T::peak_flops_per_second>(), field<&T::other_per_second>()};
}

namespace {

TEST(Fields, EarlierDocumentsHaveRatesWithoutPerSecond) {
  const auto read_rates = [](const json& members) {
    json whole = members;
    whole["schema"] = schema;
    return from_document<Rates>(whole.dump(), "t.json", schema);
  };
  EXPECT_EQ(read_rates({{"peak_flops", 2}, {"other_per_second", 3}}), (Rates{2, 3}));
  EXPECT_EQ(read_rates({{"peak_flops", 2}, {"peak_flops_per_second", 5}, {"other_per_second", 3}}), (Rates{5, 3}));
  EXPECT_THAT(bad_input_of([&] { read_rates({{"peak_flops", 2}, {"other", 3}}); }), HasSubstr("other_per_second"));
}

TEST(Fields, DocumentsBeginWithTheirSchema) {
  EXPECT_THAT(to_document(example(), schema).dump(), testing::StartsWith(R"({"schema":"flopcast-tuning-2",)"));
}

TEST(Fields, EmptyOptionalsAreLeftOutAndMayBeNull) {
  EXPECT_FALSE(document().contains("note"));
  EXPECT_FALSE(document()["choices"][1].contains("seconds"));
  EXPECT_TRUE(document()["gains"][1].is_null()) << "the elements of an array keep their places";
  json explicit_null = document();
  explicit_null["verdict"] = nullptr;
  EXPECT_EQ(read(explicit_null).verdict, std::nullopt);
}

TEST(Fields, OptionalFieldsKeepTheirDefaults) {
  json other = document();
  other.erase("host");
  EXPECT_EQ(read(other).host, "unknown");
  EXPECT_EQ(error_with("/host", 3), "t.json is damaged: member host: 3 given, expected a text");
}

TEST(Fields, UnknownMembersAreIgnored) {
  json more = document();
  more["choices"][0]["colour"] = "red";
  EXPECT_EQ(read(more), example());
}

TEST(Fields, ErrorsNameThePathOfAMissingMember) {
  EXPECT_EQ(error_without("", "routine"), "t.json is damaged: member routine: it is missing");
  EXPECT_EQ(error_without("/choices/1", "nb"), "t.json is damaged: member choices[1].nb: it is missing");
  EXPECT_EQ(error_without("/choices/0/seconds", "high"), "t.json is damaged: member choices[0].seconds.high: it is missing");
  EXPECT_EQ(error_without("/by_library/blis", "verdict"), "t.json is damaged: member by_library.blis.verdict: it is missing");
}

TEST(Fields, ErrorsNameThePathOfAWrongType) {
  EXPECT_EQ(error_with("/complete", 1), "t.json is damaged: member complete: 1 given, expected true or false");
  EXPECT_THAT(error_with("/threads", 1.5), HasSubstr("member threads: 1.5 given, expected a whole number"));
  EXPECT_THAT(error_with("/threads", std::int64_t{1} << 40), HasSubstr("member threads: 1099511627776 given, expected a whole number"));
  EXPECT_THAT(error_with("/seed", -1), HasSubstr("member seed: -1 given, expected a whole number of 0 or more"));
  EXPECT_EQ(error_with("/range", json::array({1})), "t.json is damaged: member range: [1] given, expected an array of 2");
  EXPECT_EQ(error_with("/rates/openblas/1", "fast"), "t.json is damaged: member rates.openblas[1]: \"fast\" given, expected a number");
  EXPECT_EQ(error_with("/rates", 3), "t.json is damaged: member rates: 3 given, expected an object");
  EXPECT_EQ(error_with("/choices", 3), "t.json is damaged: member choices: 3 given, expected an array");
  EXPECT_EQ(error_with("/choices/1", "none"), "t.json is damaged: member choices[1]: \"none\" given, expected an object");
  EXPECT_EQ(error_with("/choices/0/seconds", true), "t.json is damaged: member choices[0].seconds: true given, expected an object");
  EXPECT_EQ(error_with("/gains/0", "much"), "t.json is damaged: member gains[0]: \"much\" given, expected a number");
}

TEST(Fields, ErrorsListTheNamesOfAnEnumeration) {
  EXPECT_EQ(error_with("/choices/0/verdict", "best"),
            "t.json is damaged: member choices[0].verdict: \"best\" given, expected one of better, equal");
  EXPECT_EQ(error_with("/verdict", 0), "t.json is damaged: member verdict: 0 given, expected a text");
}

TEST(Fields, AnEnumerationsValueWithoutANameIsNeverWritten) {
  Choice choice;
  choice.verdict = Verdict::worse;
  EXPECT_THROW(to_document(choice, schema), Error);
}

TEST(Fields, NumbersThatJsonLacksAreRefusedWhenTheyAreRead) {
  json infinite = Interval{0, std::numeric_limits<double>::infinity()};
  EXPECT_TRUE(json::parse(infinite.dump())["high"].is_null());
  infinite["schema"] = schema;
  EXPECT_EQ(bad_input_of([&] { from_document<Interval>(infinite.dump(), "t.json", schema); }),
            "t.json is damaged: member high: null given, expected a number");
}

TEST(Fields, OtherSchemasAreRefused) {
  EXPECT_EQ(error_with("/schema", "flopcast-trace-2"), "t.json holds \"flopcast-trace-2\"; expected \"flopcast-tuning-2\"");
  EXPECT_EQ(error_with("/schema", "flopcast-tuning-3"),
            "t.json was written by a newer flopcast: its schema is \"flopcast-tuning-3\", this version reads \"flopcast-tuning-2\"");
  EXPECT_THAT(error_without("", "schema"), HasSubstr("it has no member \"schema\""));
  EXPECT_THAT(bad_input_of([] { from_document<Tuning>("[]", "t.json", schema); }), HasSubstr("t.json is no flopcast document"));
}

TEST(Fields, TextThatIsNoJsonIsRefused) {
  EXPECT_THAT(bad_input_of([] { from_document<Tuning>("{\"schema\": ", "t.json", schema); }), HasSubstr("t.json is cut off"));
  EXPECT_THAT(bad_input_of([] { from_document<Tuning>("", "t.json", schema); }), HasSubstr("t.json is empty"));
}

TEST(Fields, ADocumentWrittenByHandMayNotHoldAMemberTwice) {
  const std::string twice = R"({"schema": "flopcast-tuning-2", "low": 1, "low": 2, "high": 3})";
  EXPECT_EQ(from_document<Interval>(twice, "t.json", schema), (Interval{2, 3}));
  EXPECT_THAT(bad_input_of([&] { from_document<Interval>(twice, "t.json", schema, WrittenBy::hand); }), HasSubstr("two members \"low\""));
}

TEST(Fields, FieldsAreWrittenBesideThoseThatAreThere) {
  json both = {{"low", 7}, {"other", 1}};
  write_fields(both, Interval{1, 2});
  EXPECT_EQ(both, (json{{"low", 1.0}, {"high", 2.0}, {"other", 1}}));
}

}  // namespace
}  // namespace flopcast
