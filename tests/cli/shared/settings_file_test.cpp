#include "flopcast/cli/shared/settings.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "tests/message_of.hpp"

namespace flopcast::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

/// Returns the values of the only entry of a file.
std::vector<std::string> values_of(std::string_view text) {
  const std::vector<SettingsEntry> entries = parse_settings(text, "file");
  return entries.size() == 1 ? entries[0].values : std::vector<std::string>{"there is not one entry"};
}

std::string message(std::string_view text) {
  return tests::bad_input_of([&] { parse_settings(text, "my.toml"); });
}

TEST(SettingsFiles, HaveKeysWithTheirLines) {
  const std::vector<SettingsEntry> entries = parse_settings("# comment\nthreads = 4  # more\n\r\nblas=\"blis\"\n", "file");
  ASSERT_THAT(entries, SizeIs(2));
  EXPECT_EQ(entries[0].key, "threads");
  EXPECT_EQ(entries[0].line, 2);
  EXPECT_THAT(entries[0].values, ElementsAre("4"));
  EXPECT_EQ(entries[1].key, "blas");
  EXPECT_EQ(entries[1].line, 4);
  EXPECT_FALSE(entries[1].is_section);
  EXPECT_THAT(parse_settings("", "file"), IsEmpty());
  EXPECT_THAT(parse_settings("\xEF\xBB\xBF", "file"), IsEmpty()) << "a byte order mark";
}

TEST(SettingsFiles, SectionsMayBeNestedByHeadersAndKeys) {
  const std::vector<SettingsEntry> entries = parse_settings("[mpi.tune]\nconfirm = 3\n[mpi]\ntune.fresh = true\n", "file");
  ASSERT_THAT(entries, SizeIs(1));
  EXPECT_EQ(entries[0].key, "mpi");
  EXPECT_TRUE(entries[0].is_section);
  ASSERT_THAT(entries[0].members, SizeIs(1));
  const SettingsEntry& tune = entries[0].members[0];
  EXPECT_EQ(tune.key, "tune");
  ASSERT_THAT(tune.members, SizeIs(2));
  EXPECT_EQ(tune.members[0].key, "confirm");
  EXPECT_EQ(tune.members[1].key, "fresh");
  EXPECT_TRUE(tune.members[1].is_boolean);
  EXPECT_FALSE(tune.members[0].is_boolean);
}

TEST(SettingsFiles, NumbersLoseUnderscoresAndPlus) {
  EXPECT_THAT(values_of("n = 1_000"), ElementsAre("1000"));
  EXPECT_THAT(values_of("n = +2.5e3"), ElementsAre("2.5e3"));
  EXPECT_THAT(values_of("n = -7"), ElementsAre("-7"));
  for (const char* number : {"1__0", "_1", "1_", "0x10", "inf", "1:2"}) {
    EXPECT_THAT(message(std::string("n = ") + number), HasSubstr("my.toml:1: n has ")) << number;
  }
}

TEST(SettingsFiles, TextsHaveEscapesInDoubleMarksOnly) {
  EXPECT_THAT(values_of(R"(t = "a\tb\\\"\n")"), ElementsAre("a\tb\\\"\n"));
  EXPECT_THAT(values_of(R"(t = 'a\tb')"), ElementsAre("a\\tb"));
  EXPECT_THAT(values_of(R"(t = "\u00e9\u20ac\U0001F600")"), ElementsAre("\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80"));
  for (const char* text : {R"(t = "\x41")", R"(t = "\u12")", R"(t = "\ud800")", R"(t = "\U00110000")"}) {
    EXPECT_THAT(message(text), HasSubstr("unknown escape")) << text;
  }
}

TEST(SettingsFiles, ListsMaySpanLines) {
  EXPECT_THAT(values_of("n = [1, \"two\",\n  # comment\n  3,\n]"), ElementsAre("1", "two", "3"));
  EXPECT_THAT(values_of("n = []"), IsEmpty());
  EXPECT_THAT(message("n = [1 2]"), HasSubstr("the list of n has no end"));
  EXPECT_THAT(message("n = [true]"), HasSubstr("value of another kind"));
  EXPECT_THAT(message("n = [[1]]"), HasSubstr("my.toml:1: n has "));
}

TEST(SettingsFiles, MistakesNameFileAndLine) {
  EXPECT_EQ(message("\nthreads 4"), "my.toml:2: key threads has no value; expected a line such as threads = 4");
  EXPECT_EQ(message("a = 1\na = 2"), "my.toml:2: a is there twice");
  EXPECT_EQ(message("[a]\n[b]\n[a]"), "my.toml:3: section [a] is there twice");
  EXPECT_EQ(message("a = 1\n[a]"), "my.toml:2: a is a section here and a value in line 1");
  EXPECT_EQ(message("[a"), "my.toml:1: a section ends with ']', as in [tune]");
  EXPECT_EQ(message("[[a]]"), "my.toml:1: lists of sections, [[...]], aren't settings; expected a section such as [tune]");
  EXPECT_EQ(message("a = 1 2"), "my.toml:1: there is more behind the value of a; expected the end of the line");
  EXPECT_EQ(message("a = \"b"), "my.toml:1: the text has no \" at its end");
  EXPECT_EQ(message("a = \"\"\"b\"\"\""),
            "my.toml:1: texts of several lines aren't settings; expected a text between single quotation marks");
  EXPECT_EQ(message("a = auto"), "my.toml:1: a has the value auto; expected a text in quotation marks, a number, true or false");
  EXPECT_EQ(message("= 1"), "my.toml:1: a key is missing; expected a line such as threads = 4, or [tune]");
  EXPECT_THAT(message("a = {}"), HasSubstr("value of another kind"));
}

}  // namespace
}  // namespace flopcast::cli
