#include "flopcast/support/units.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "flopcast/support/error.hpp"

namespace flopcast {
namespace {

using testing::ElementsAre;

TEST(Units, TimesHaveThreeDigitsAndAUnit) {
  EXPECT_EQ(format_seconds(0), "0 s");
  EXPECT_EQ(format_seconds(3.214e-6), "3.21 µs");
  EXPECT_EQ(format_seconds(45.64e-3), "45.6 ms");
  EXPECT_EQ(format_seconds(1.234), "1.23 s");
}

TEST(Units, PercentHasOneDecimal) {
  EXPECT_EQ(format_percent(0.1234), "12.3 %");
  EXPECT_EQ(format_percent(-0.05), "-5.0 %");
}

TEST(Units, ReadsShares) {
  EXPECT_DOUBLE_EQ(parse_fraction("0.05", "--error", 0, 1), 0.05);
  EXPECT_DOUBLE_EQ(parse_fraction("5%", "--error", 0, 1), 0.05);
  EXPECT_DOUBLE_EQ(parse_fraction("12.5 %", "--error", 0, 1), 0.125);
  EXPECT_THROW(parse_fraction("5 parts", "--error", 0, 1), Error);
  EXPECT_THROW(parse_fraction("", "--error", 0, 1), Error);
  EXPECT_THROW(parse_fraction("150%", "--error", 0, 1), Error);
  EXPECT_THROW(parse_fraction("-1%", "--error", 0, 1), Error);
}

TEST(Units, ReadsDurationsAndBytes) {
  EXPECT_DOUBLE_EQ(parse_duration("30", "--time-budget"), 30);
  EXPECT_DOUBLE_EQ(parse_duration("250ms", "--time-budget"), 0.25);
  EXPECT_DOUBLE_EQ(parse_duration("5min", "--time-budget"), 300);
  EXPECT_DOUBLE_EQ(parse_duration("2us", "--latency"), 2e-6);
  EXPECT_DOUBLE_EQ(parse_duration("1.5 µs", "--latency"), 1.5e-6);
  EXPECT_DOUBLE_EQ(parse_duration("800ns", "--latency"), 8e-7);
  EXPECT_EQ(parse_bytes("48KiB", "--cache"), 48 << 10);
  EXPECT_THROW(parse_duration("5 parsecs", "--time-budget"), Error);
  EXPECT_THROW(parse_bytes("much", "--cache"), Error);
}

TEST(Units, ReadsListsOfSizes) {
  EXPECT_THAT(parse_sizes("500", "--n", 1, 1000), ElementsAre(500));
  EXPECT_THAT(parse_sizes("400,100,100", "--n", 1, 1000), ElementsAre(100, 400));
  EXPECT_THAT(parse_sizes("200:600:200,50", "--n", 1, 1000), ElementsAre(50, 200, 400, 600));
  const std::vector<std::int64_t> spread = parse_sizes("200:3200", "--n", 1, 20000);
  EXPECT_EQ(spread.size(), 16U);
  EXPECT_EQ(spread.front(), 200);
  EXPECT_EQ(spread.back(), 3200);
  for (const char* wrong : {"", "0", "1001", "9:5", "x", "1,,2", "1:2:3:4"}) {
    EXPECT_THROW(parse_sizes(wrong, "--n", 1, 1000), Error) << wrong;
  }
}

TEST(Units, SplitKeepsEmptyParts) {
  EXPECT_THAT(split("a,,b", ','), ElementsAre("a", "", "b"));
  EXPECT_THAT(split("", ','), ElementsAre(""));
  EXPECT_THAT(split("a,", ','), ElementsAre("a", ""));
}

}  // namespace
}  // namespace flopcast
