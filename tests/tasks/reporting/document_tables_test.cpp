#include "flopcast/tasks/reporting/document_tables.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "flopcast/core/documents.hpp"
#include "flopcast/support/error.hpp"
#include "flopcast/support/fields.hpp"

namespace flopcast {
namespace {

struct Inner {
  std::string name;
  std::optional<Seconds> wall_seconds;
  double share = 0;
};
struct Part {
  std::string routine;
  std::vector<std::int64_t> sizes;
  std::optional<std::string> remark;
  std::vector<Inner> inner;
  Inner single;
};
struct Measured {
  std::int64_t skipped = 0;
  Seconds seconds = 0;
  std::optional<Interval> interval;
  std::vector<double> samples;
  double before = 0;
  std::string unit;
  std::string what;
};
struct Measurements {
  std::vector<Measured> all;
};
struct Rate {
  std::vector<double> samples;
  double median = 0;
};
struct Key {
  std::string routine;
};
struct Rated {
  Key key;
  Rate rate;
  std::map<std::string, std::vector<std::int64_t>> sizes;
};
struct Ratings {
  std::vector<Rated> all;
};
struct Whole {
  std::int64_t count = 0;
  std::vector<Part> parts;
};

}  // namespace

template <>
Fields FieldTable<Inner>::fields() {
  return {field<&T::name>("the name"), field<&T::wall_seconds>("the time"),
          field<&T::share>("the share").measured_in("fraction", Best::large)};
}
template <>
Fields FieldTable<Part>::fields() {
  return {field<&T::routine>("the routine"), field<&T::sizes>("its sizes"), field<&T::remark>("a remark"),
          field<&T::inner>("what is within"), field<&T::single>("a single one")};
}
template <>
Fields FieldTable<Measured>::fields() {
  return {field<&T::skipped>("a count"),   field<&T::seconds>("a time"),
          field<&T::interval>("its ends"), field<&T::samples>("times").measured_in("s", Best::small),
          field<&T::before>("a value"),    field<&T::unit>("unit of the value"),
          field<&T::what>("a name")};
}
template <>
Fields FieldTable<Measurements>::fields() {
  return {field<&T::all>("all")};
}
template <>
Fields FieldTable<Rate>::fields() {
  return {field<&T::samples>("each sample"), field<&T::median>("their median")};
}
template <>
Fields FieldTable<Key>::fields() {
  return {field<&T::routine>("the routine")};
}
template <>
Fields FieldTable<Rated>::fields() {
  return {field<&T::key>("the call"), field<&T::rate>("its rate").measured_in("flop/s", Best::large), field<&T::sizes>("its sizes")};
}
template <>
Fields FieldTable<Ratings>::fields() {
  return {field<&T::all>("all")};
}
template <>
Fields FieldTable<Whole>::fields() {
  return {field<&T::count>("a count"), field<&T::parts>("the parts")};
}

namespace {

using ::testing::ElementsAre;

nlohmann::ordered_json whole_schema() { return published<Whole>("flopcast-whole-1", "A whole").make(); }

Whole whole() {
  return {3, {{"dgemm", {100, 200}, {}, {{"a", 1.5, 0.25}, {"b", {}, 0.5}}, {"s", 2e-3, 1}}, {"dtrsm", {50}, {}, {}, {"t", {}, 0}}}};
}

nlohmann::json document(const Whole& value) { return nlohmann::json::parse(to_document(value, "flopcast-whole-1").dump()); }

std::vector<std::string> titles(const report::Table& table) {
  std::vector<std::string> titles;
  for (const report::Column& column : table.columns) {
    titles.push_back(column.title);
  }
  return titles;
}

std::vector<std::string> texts(const std::vector<report::Cell>& row) {
  std::vector<std::string> texts;
  for (const report::Cell& cell : row) {
    texts.push_back(cell.text);
  }
  return texts;
}

TEST(DocumentTables, HaveAColumnForEachMemberWithAValue) {
  const report::Table table = document_table(document(whole()), whole_schema(), "parts");
  EXPECT_THAT(titles(table), ElementsAre("routine", "sizes", "single: name", "single: wall", "single: share"));
  ASSERT_EQ(table.rows.size(), 2U);
  EXPECT_THAT(texts(table.rows[0]), ElementsAre("dgemm", "100x200", "s", "2.00 ms", "100.0 %"));
  EXPECT_THAT(texts(table.rows[1]), ElementsAre("dtrsm", "50", "t", "", "0.0 %"));
  const report::Column& time = table.columns[3];
  EXPECT_EQ(time.name, "single.wall_seconds");
  EXPECT_EQ(time.unit, "s");
  EXPECT_EQ(time.meaning, "the time");
  EXPECT_EQ(time.best, Best::small);
  EXPECT_EQ(table.rows[0][3].raw, "0.002");
}

TEST(DocumentTables, NameTheElementsAroundTheirRows) {
  Whole two = whole();
  two.parts[1].inner = {{"c", 2.5, 0.75}};
  const report::Table table = document_table(document(two), whole_schema(), "parts.inner");
  EXPECT_THAT(titles(table), ElementsAre("routine", "sizes", "name", "wall", "share"));
  ASSERT_EQ(table.rows.size(), 3U);
  EXPECT_THAT(texts(table.rows[1]), ElementsAre("dgemm", "100x200", "b", "", "50.0 %"));
  EXPECT_EQ(table.columns[0].name, "parts.routine");
  EXPECT_THAT(titles(document_table(document(whole()), whole_schema(), "parts.inner")), ElementsAre("name", "wall", "share"))
      << "all rows have the same routine and sizes";
}

TEST(DocumentTables, ShowTheValuesOfTheDocumentItself) {
  const report::Table table = document_table(document(whole()), whole_schema(), "");
  ASSERT_EQ(table.rows.size(), 1U);
  EXPECT_THAT(texts(table.rows[0]), ElementsAre("count", "3", "a count"));
  EXPECT_TRUE(remaining_values(document(whole()), whole_schema(), {"count"}).rows.empty());
  EXPECT_EQ(remaining_values(document(whole()), whole_schema(), {}).rows.size(), 1U);
  EXPECT_THAT(table_paths(whole_schema()), ElementsAre("", "parts", "parts.inner"));
}

TEST(DocumentTables, EndAfterManyRows) {
  Whole many;
  many.parts.resize(1200, {"dgemm", {1}, {}, {}, {}});
  const report::Table table = document_table(document(many), whole_schema(), "parts");
  EXPECT_EQ(table.rows.size(), 1000U);
  EXPECT_THAT(table.footnote, ::testing::HasSubstr("1000 of 1200"));
}

TEST(DocumentTables, LeaveOutWhatADocumentLacks) {
  EXPECT_TRUE(document_table({{"parts", nlohmann::json::array()}}, whole_schema(), "parts").rows.empty());
  EXPECT_TRUE(document_table({{"parts", nullptr}}, whole_schema(), "parts.inner").rows.empty());
  EXPECT_TRUE(document_table(nlohmann::json::object(), whole_schema(), "parts.inner").rows.empty());
}

TEST(DocumentTables, PutNamesFirstAndGiveIntervalsTheUnitOfTheirValues) {
  const Measurements measurements = {{{0, 1.5, Interval{1, 2}, {0.001, 0.003, 0.002}, 2e9, "flop/s", "gemm"}}};
  const auto text = to_document(measurements, "flopcast-measurements-1").dump();
  const report::Table table =
      document_table(nlohmann::json::parse(text), published<Measurements>("flopcast-measurements-1", "Measurements").make(), "all");
  EXPECT_THAT(titles(table), ElementsAre("what", "time", "interval", "samples", "before", "unit"));  // nothing was skipped
  EXPECT_THAT(texts(table.rows.at(0)),
              ElementsAre("gemm", "1.50 s", "1.00 s to 2.00 s", "2.00 ms (median of 3)", "2.00 GFLOP/s", "flop/s"));
}

TEST(DocumentTables, HaveTheChosenColumnsInTheirOrder) {
  const report::Table table = document_table(document(whole()), whole_schema(), "parts", {"single.wall_seconds", "sizes"});
  EXPECT_THAT(titles(table), ElementsAre("single: wall", "sizes"));
  EXPECT_THAT(texts(table.rows.at(0)), ElementsAre("2.00 ms", "100x200"));
  EXPECT_THROW(document_table(document(whole()), whole_schema(), "parts", {"single.walls"}), Error);
}

TEST(DocumentTables, GiveMembersTheUnitOfTheirObjectAndLeaveOutTheNamesOfGroups) {
  const Ratings ratings = {{{{"dgemm"}, {{2.5e9}, 2e9}, {{"m", {100, 100}}, {"n", {50, 200}}}}}};
  const auto text = to_document(ratings, "flopcast-ratings-1").dump();
  const report::Table table =
      document_table(nlohmann::json::parse(text), published<Ratings>("flopcast-ratings-1", "Ratings").make(), "all");
  EXPECT_THAT(titles(table), ElementsAre("sizes", "routine", "rate: samples", "rate: median"));
  EXPECT_THAT(texts(table.rows.at(0)), ElementsAre("m=100 n=50 to 200", "dgemm", "2.50 GFLOP/s", "2.00 GFLOP/s"));
}

TEST(DocumentTables, OfSingleValuesHaveNoCommonOrder) {
  EXPECT_TRUE(document_table(document(whole()), whole_schema(), "").is_mixed);
  EXPECT_FALSE(document_table(document(whole()), whole_schema(), "parts").is_mixed);
}

}  // namespace
}  // namespace flopcast
