#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string_view>

#include "flopcast/support/error.hpp"
#include "flopcast/tasks/mpi/mpi.hpp"
#include "tests/message_of.hpp"

namespace flopcast {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using tests::bad_input_of;

TEST(RankCounts, AreNumbersListsAndRangesThatDouble) {
  EXPECT_THAT(parse_rank_counts("16", "ranks"), ElementsAre(16));
  EXPECT_THAT(parse_rank_counts("4,8,6", "ranks"), ElementsAre(4, 8, 6));
  EXPECT_THAT(parse_rank_counts("16:100", "ranks"), ElementsAre(16, 32, 64));
  EXPECT_THAT(parse_rank_counts("3:24,1", "ranks"), ElementsAre(3, 6, 12, 24, 1));
  EXPECT_THAT(parse_rank_counts("1048576:1048576", "ranks"), ElementsAre(1048576));
}

TEST(RankCounts, RefuseWhatIsNoCount) {
  const auto message = [](std::string_view text) { return bad_input_of([&] { parse_rank_counts(text, "ranks"); }); };
  EXPECT_THAT(message("4:8:16"), HasSubstr("ranks: '4:8:16' is no number of processes"));
  EXPECT_THAT(message("8:4"), HasSubstr("'8:4' is no number of processes"));
  EXPECT_THAT(message("4,2:8"), HasSubstr("4,2:8 has 4 processes twice"));
  for (const char* text : {"", "0", "-1", "1048577", "four", "4,", ":"}) {
    EXPECT_THAT(message(text), HasSubstr("ranks")) << text;
  }
}

TEST(Timeouts, AreDurationsOrNone) {
  EXPECT_EQ(parse_timeout("60s", "timeout"), 60);
  EXPECT_EQ(parse_timeout("2min", "timeout"), 120);
  EXPECT_EQ(parse_timeout("none", "timeout"), 0);
  EXPECT_THAT(bad_input_of([] { parse_timeout("0s", "timeout"); }), HasSubstr("timeout: '0s' is no duration above 0"));
  try {
    parse_timeout("0s", "--timeout");
    FAIL() << "nothing thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::usage) << "an option's mistake is one of usage";
  }
}

TEST(Networks, HaveALatencyWithItsUnitAndABandwidthInGigabytes) {
  EXPECT_DOUBLE_EQ(parse_latency("2e-6", "latency"), 2e-6);
  EXPECT_DOUBLE_EQ(parse_latency("2us", "latency"), 2e-6);
  EXPECT_DOUBLE_EQ(parse_gigabytes_per_second("12.5", "bandwidth"), 12.5e9);
  for (const char* text : {"", "0", "-1", "inf", "nan", "1e19", "2us", "1 "}) {
    EXPECT_THAT(bad_input_of([&] { parse_gigabytes_per_second(text, "bandwidth"); }), HasSubstr("is not a number of GB/s such as 12.5"))
        << text;
  }
  for (const char* text : {"", "0", "-1", "inf", "nan", "1e19", "2 parsecs"}) {
    EXPECT_THAT(bad_input_of([&] { parse_latency(text, "latency"); }), HasSubstr("is not a duration ")) << text;
  }
}

}  // namespace
}  // namespace flopcast
