#include <gmock/gmock.h>

#include <algorithm>
#include <set>
#include <string>

#include <nlohmann/json.hpp>

#include "tests/program/cli/own_home.hpp"
#include "tests/trace_event_rules.hpp"

namespace flopcast::program {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::Not;

/// Exports of a recording of a program that runs in two processes.
class TimelineCommand : public tests::OwnHome {
 protected:
  void SetUp() override {
    const tests::Result recorded = run(FLOPCAST_PROGRAM " record --output trace -- sh -c '" FLOPCAST_EXAMPLE_CHOLESKY
                                                        " 100 & " FLOPCAST_EXAMPLE_CHOLESKY " 60; wait'");
    ASSERT_EQ(recorded.exit_code, 0) << recorded.err;
  }

  /// Returns the timeline, which follows the rules of its format.
  json exported(const std::string& options) {
    const tests::Result ended = run(FLOPCAST_PROGRAM " profile trace --export perfetto --output timeline.json " + options);
    EXPECT_EQ(ended.exit_code, 0) << ended.err;
    text_ = tests::contents(own_.path() / "timeline.json");
    const json timeline = json::parse(text_, nullptr, false);
    EXPECT_FALSE(timeline.is_discarded());
    EXPECT_EQ(tests::TraceEventRules::violation(timeline), "");
    return timeline;
  }

  static std::int64_t calls(const json& timeline) {
    const json& events = timeline.at("traceEvents");
    return std::count_if(events.begin(), events.end(), [](const json& event) { return event.at("ph") == "X"; });
  }

  std::string text_;
};

TEST_F(TimelineCommand, WritesEveryCallForAViewer) {
  const json timeline = exported("");
  const json recording = json::parse(run(FLOPCAST_PROGRAM " record --show trace --json").out);
  EXPECT_EQ(calls(timeline), recording.at("calls"));
  EXPECT_EQ(timeline.at("otherData").at("omitted"), 0);
  std::set<int> processes;
  bool has_potrf = false;
  for (const json& event : timeline.at("traceEvents")) {
    if (event.at("ph") == "X") {
      processes.insert(event.at("pid").get<int>());
      has_potrf = has_potrf || (event.at("name") == "dpotrf" && event.at("cat") == "lapack" && event.at("args").at("sizes").at("n") == 100);
    }
  }
  EXPECT_EQ(processes.size(), 2U);
  EXPECT_TRUE(has_potrf) << text_;
}

TEST_F(TimelineCommand, IsLimitedAndAnonymous) {
  ASSERT_GT(calls(exported("")), 1);
  EXPECT_THAT(text_, HasSubstr(FLOPCAST_EXAMPLE_CHOLESKY));
  const json one = exported("--max-events 1 --seed 3 --anonymous");
  EXPECT_EQ(calls(one), 1);
  EXPECT_EQ(one.at("otherData").at("omitted").get<std::int64_t>(), one.at("otherData").at("calls").get<std::int64_t>() - 1);
  EXPECT_THAT(text_, Not(HasSubstr(FLOPCAST_EXAMPLE_CHOLESKY)));
}

TEST_F(TimelineCommand, RefusesTables) {
  const tests::Result refused = run(FLOPCAST_PROGRAM " profile trace --export perfetto --by shape");
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_THAT(refused.err, HasSubstr("leave out --csv, --by, --page, --figure and --what-if"));
}

}  // namespace
}  // namespace flopcast::program
