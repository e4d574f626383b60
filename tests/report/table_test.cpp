#include "flopcast/report/table.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace flopcast::report {
namespace {

const Table times = {{{"n"}, {"time", Align::right, "seconds"}, {"library", Align::left}},
                     {{whole(100), {12.5e-6, "12.5 µs"}, "openblas"}, {whole(3200), {1.25, "1.25 s"}, "blis, \"serial\""}}};

TEST(Table, TextIsAlignedAndMarkdown) {
  EXPECT_EQ(to_text(times),
            "|    n |    time | library        |\n"
            "|-----:|--------:|:---------------|\n"
            "|  100 | 12.5 µs | openblas       |\n"
            "| 3200 |  1.25 s | blis, \"serial\" |\n");
}

TEST(Table, NarrowColumnsLeaveRoomForMarkdownsRule) { EXPECT_EQ(to_text({{{"n"}}, {{whole(1)}}}), "|   n |\n|----:|\n|   1 |\n"); }

TEST(Table, WithoutRowsShowsItsHeadings) { EXPECT_EQ(to_text({{{"name", Align::left}}, {}}), "| name |\n|:-----|\n"); }

TEST(Table, ColoursDoNotShiftColumns) {
  const Table table = {{{"gain"}}, {{toned("12 %", Tone::good)}, {"3 %"}}};
  EXPECT_EQ(to_text(table, true), "| gain |\n|-----:|\n| \x1b[32m12 %\x1b[0m |\n|  3 % |\n");
  EXPECT_THAT(to_text(table, false), testing::Not(testing::HasSubstr("\x1b")));
}

TEST(Table, CellsHoldAnyName) {
  EXPECT_EQ(to_text({{{"name", Align::left}}, {{"a|b\nc"}, {"\x1b[2J"}}}), "| name   |\n|:-------|\n| a\\|b c |\n|  [2J   |\n");
}

TEST(Table, CsvHasTwoColumnsForAnInterval) {
  const Table table = {{{"n"}, {"95 % interval", Align::left, "seconds", true}}, {{"8", Cell(0.5, 1.5, "[0.5 s, 1.5 s]")}, {"9", "-"}}};

  EXPECT_EQ(to_csv(table), "n,seconds_low,seconds_high\r\n8,0.5,1.5\r\n9,,\r\n");
}

TEST(Table, CsvHasOneValuePerCell) {
  const Column blocks = {.title = "nb / nx", .name = "nb", .second = "nx"};
  const Table table = {{blocks, {"ties"}}, {{Cell(32, 128, "32 / 128"), valued("a b", "2")}, {"64", "-"}, {"", valued("failed", "-")}}};

  EXPECT_EQ(to_csv(table), "nb,nx,ties\r\n32,128,2\r\n64,,\r\n,,\r\n");
  EXPECT_EQ(csv_headings(blocks), (std::vector<std::string>{"nb", "nx"}));
}

TEST(Table, CsvHoldsRawValuesAndQuotesAsRfc4180) {
  EXPECT_EQ(to_csv(times),
            "n,seconds,library\r\n"
            "100,1.25e-05,openblas\r\n"
            "3200,1.25,\"blis, \"\"serial\"\"\"\r\n");
}

TEST(DisplayWidth, CountsColumnsNotBytes) {
  EXPECT_EQ(display_width("µs"), 2U);
  EXPECT_EQ(display_width("\u2264 5 %"), 5U);
  EXPECT_EQ(display_width("e\u0301"), 1U);
  EXPECT_EQ(display_width("\u6642\u9593"), 4U);
  EXPECT_EQ(display_width(""), 0U);
}

TEST(DisplayWidth, SurvivesBytesThatAreNoUtf8) {
  EXPECT_EQ(display_width("\xff\x80"), 2U);
  EXPECT_EQ(display_width("\xe2\x82"), 1U);
}

TEST(Table, TitlesFoldBeforeNumbers) {
  const Table table = {{{"n"}, {"measured default"}}, {{"1000", "18.1 ms"}}};
  EXPECT_EQ(to_text(table, false, 80), to_text(table));
  EXPECT_EQ(to_text(table, false, 19),
            "|    n | measured |\n"
            "|      |  default |\n"
            "|-----:|---------:|\n"
            "| 1000 |  18.1 ms |\n");
}

TEST(Table, TextsFoldInTheirCells) {
  const Table table = {{{"n"}, {"what", Align::left}}, {{"1", toned("a block size of 64", Tone::good)}, {"2", "no"}}};
  EXPECT_EQ(to_text(table, true, 21),
            "|   n | what        |\n"
            "|----:|:------------|\n"
            "|   1 | \x1b[32ma block\x1b[0m     |\n"
            "|     | \x1b[32msize of 64\x1b[0m  |\n"
            "|   2 | no          |\n");
}

TEST(Table, ColumnsThatDoNotFitStandBelowWithTheFirstColumn) {
  const Table table = {{{"level", Align::left}, {"capacity"}, {"bandwidth"}, {"latency"}}, {{"L1", "48 KiB", "725 GB/s", "0.94 ns"}}};
  EXPECT_EQ(to_text(table, false, 32),
            "| level | capacity | bandwidth |\n"
            "|:------|---------:|----------:|\n"
            "| L1    |   48 KiB |  725 GB/s |\n"
            "\n"
            "| level | latency |\n"
            "|:------|--------:|\n"
            "| L1    | 0.94 ns |\n");
}

TEST(Table, NoLineIsWiderThanTheTerminalWhereNumbersAllowIt) {
  const Table table = {{{"n"}, {"default nb / nx"}, {"ties", Align::left}, {"file", Align::left}, {"max regret"}},
                       {{"500", "32 / 128", "40 48 56 64", "/usr/lib/x86_64-linux-gnu/openblas-serial/libblas.so.3", "0.4 %"},
                        {"1000", "32 / 128", "", "µs", "1.0 %"}}};
  for (std::size_t width = 28; width < 120; ++width) {
    const std::string text = to_text(table, false, width);
    std::size_t begin = 0;
    for (std::size_t end = text.find('\n'); end != std::string::npos; begin = end + 1, end = text.find('\n', begin)) {
      EXPECT_LE(display_width(text.substr(begin, end - begin)), width) << text;
    }
    for (const char* number : {"32 / 128", "0.4 %", "1000"}) {
      EXPECT_THAT(text, testing::HasSubstr(number)) << width;
    }
  }
}

TEST(Table, RowsThatComeLaterFoldAsTheirHeadings) {
  Table table;
  table.columns = {{"n", Align::right, "", false, 5}, {"measured default"}, {"measured chosen"}};
  const std::string head = to_text(table, false, 20);
  table.rows = {{"7", "1 s", "2 s"}};
  EXPECT_EQ(head + rows_text(table, false, 20),
            "|     n | measured | measured |\n"
            "|       |  default |   chosen |\n"
            "|------:|---------:|---------:|\n"
            "|     7 |      1 s |      2 s |\n");
}

TEST(Table, RowsThatComeLaterStandBelowTheirHeadings) {
  Table table;
  table.columns = {{"n", Align::right, "", false, 5}, {"what", Align::left}};
  const std::string head = to_text(table);
  table.rows = {{"7", "all"}};
  EXPECT_EQ(head, "|     n | what |\n|------:|:-----|\n");
  EXPECT_EQ(rows_text(table), "|     7 | all  |\n");
  EXPECT_EQ(to_text(table), head + rows_text(table));
}

}  // namespace
}  // namespace flopcast::report
