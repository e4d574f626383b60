#include "flopcast/tasks/comparison/comparison.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <limits>
#include <string>

#include "flopcast/support/scratch.hpp"
#include "flopcast/tasks/comparison/comparison_schemas.hpp"
#include "flopcast/tasks/comparison/quantities.hpp"
#include "tests/data_folder.hpp"
#include "tests/message_of.hpp"
#include "tests/schema_check.hpp"

namespace flopcast {
namespace {

using search::Verdict;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using tests::bad_input_of;
using tests::Variable;

ComparedDocument document(std::vector<Quantity> quantities) { return {"a.json", "flopcast-race-1", std::move(quantities), {}}; }

ComparedQuantity compared_one(const Quantity& before, const Quantity& after, const CompareRequest& request = {}) {
  return compared(document({before}), document({after}), request).quantities.at(0);
}

TEST(Comparison, TheIntervalOfARatioAddsBothIntervalsAsIndependentErrors) {
  const ComparedQuantity slower = compared_one({"A", 1.0, Interval{0.98, 1.02}}, {"A", 1.2, Interval{1.18, 1.22}});
  EXPECT_NEAR(slower.ratio, 1.2, 1e-12);
  // exp(log 1.2 -+ sqrt(0.016807^2 + 0.019803^2)) below, 0.016529 and 0.020203 above
  EXPECT_NEAR(slower.ratio_interval->low, 1.1692, 1e-4);
  EXPECT_NEAR(slower.ratio_interval->high, 1.2317, 1e-4);
  EXPECT_EQ(slower.verdict, Verdict::slower);
  EXPECT_EQ(compared_one({"A", 1.2, Interval{1.18, 1.22}}, {"A", 1.0, Interval{0.98, 1.02}}).verdict, Verdict::faster);
  EXPECT_EQ(compared_one({"A", 1.0, Interval{0.9, 1.1}}, {"A", 1.1, Interval{1.0, 1.2}}).verdict, Verdict::unsure);
  EXPECT_EQ(compared_one({"A", 1.0, Interval{0.995, 1.005}}, {"A", 1.005, Interval{1.0, 1.01}}).verdict, Verdict::same);
}

TEST(Comparison, RatesAreGoodIfLarge) {
  const Quantity before = {"bandwidth", 10e9, Interval{9.9e9, 10.1e9}, "B/s"}, after = {"bandwidth", 7e9, Interval{6.9e9, 7.1e9}, "B/s"};
  EXPECT_EQ(compared_one(before, after).verdict, Verdict::slower);
  EXPECT_NEAR(compared_one(before, after).ratio, 0.7, 1e-12);
  EXPECT_EQ(compared_one(after, before).verdict, Verdict::faster);
}

TEST(Comparison, FailsOnlyBeyondTheLimit) {
  const Quantity before = {"A", 1.0, Interval{0.99, 1.01}}, after = {"A", 1.1, Interval{1.09, 1.11}};  // the ratio is above 1.085
  EXPECT_TRUE(compared(document({before}), document({after}), {}).fails);
  EXPECT_TRUE(compared(document({before}), document({after}), {.fail_above = 0.08}).fails);
  EXPECT_FALSE(compared(document({before}), document({after}), {.fail_above = 0.09}).fails);
  EXPECT_FALSE(compared(document({after}), document({before}), {}).fails);
}

/// Without an interval nothing is certain below the margin.
TEST(Comparison, ValuesWithoutIntervalsAreUnsureWithinTheNoise) {
  const auto verdict = [](double after, double noise) { return compared_one({"A", 1}, {"A", after}, {.noise = noise}).verdict; };
  EXPECT_FALSE(compared_one({"A", 1}, {"A", 2}).ratio_interval) << "the margin for noise is no interval of 95 %";
  EXPECT_EQ(verdict(1.0, 0.1), Verdict::unsure);
  EXPECT_EQ(verdict(1.09, 0.1), Verdict::unsure);
  EXPECT_EQ(verdict(1.11, 0.1), Verdict::slower);
  EXPECT_EQ(verdict(0.92, 0.1), Verdict::unsure);
  EXPECT_EQ(verdict(0.9, 0.1), Verdict::faster);
  EXPECT_EQ(verdict(1.11, 0.2), Verdict::unsure);
  const ComparedQuantity single = compared_one({"A", 1, Interval{1, 1}}, {"A", 1.05, Interval{1.049, 1.051}});
  EXPECT_FALSE(single.before_interval.has_value()) << "the interval of one value says nothing";
  EXPECT_EQ(single.verdict, Verdict::unsure);
}

TEST(Comparison, IntervalsHoldTogether) {
  std::vector<Quantity> before, after;
  for (int i = 0; i < 50; ++i) {
    before.push_back({std::to_string(i), 1, Interval{0.98, 1.02}});
    after.push_back({std::to_string(i), 1.035, Interval{1.015, 1.055}});
  }
  EXPECT_EQ(compared_one(before[0], after[0]).verdict, Verdict::slower);
  EXPECT_EQ(compared(document(before), document(after), {}).count(Verdict::unsure), 50);  // the quantile is 3.29 instead of 1.96
}

TEST(Comparison, AnIntervalWithoutEndDecidesNothing) {
  const ComparedQuantity one = compared_one({"A", 1, Interval{-1, 3}}, {"A", 100, Interval{99, 101}});
  EXPECT_EQ(one.verdict, Verdict::unsure);
  EXPECT_FALSE(one.ratio_interval.has_value());
  EXPECT_FALSE(compared_one({"A", 1, Interval{0.9, std::numeric_limits<double>::infinity()}}, {"A", 1, Interval{0.9, 1.1}}).ratio_interval);
}

TEST(Comparison, PairsByNameAndNamesTheOthers) {
  ComparedDocument before = document({{"A", 1}, {"B", 1}, {"C", 1}}), after = document({{"D", 1}, {"C", 1}, {"A", 2}});
  before.settings = {{"CPU", "X"}, {"threads", "1"}, {"huge_pages", "never"}};
  after.settings = {{"CPU", "Y"}, {"threads", "1"}};
  const Comparison comparison = compared(before, after, {});
  EXPECT_THAT(comparison.settings, ElementsAre("CPU: X; Y", "huge pages: never; not set"));
  ASSERT_EQ(comparison.quantities.size(), 2U);
  EXPECT_EQ(comparison.quantities[0].ratio, 2);
  EXPECT_EQ(comparison.quantities[1].what, "C");
  EXPECT_THAT(comparison.only_before, ElementsAre("B"));
  EXPECT_THAT(comparison.only_after, ElementsAre("D"));
}

TEST(Comparison, RefusesWhatHasNothingInCommon) {
  ComparedDocument other = document({{"B", 1}});
  EXPECT_THAT(bad_input_of([&] { compared(document({{"A", 1}}), other, {}); }), HasSubstr("the first has 'A', the second 'B'"));
  other.kind = "flopcast-tune-3";
  EXPECT_THAT(bad_input_of([&] { compared(document({{"B", 1}}), other, {}); }), HasSubstr("must be of one kind"));
}

TEST(Comparison, SurvivesJson) {
  Comparison comparison =
      compared(document({{"A", 1, Interval{0.9, 1.1}}, {"B", 1}}), document({{"A", 2}, {"C", 1}}), {.fail_above = 0.05});
  comparison.settings = {"CPU: X; Y"};
  ASSERT_TRUE(comparison.fails);
  EXPECT_EQ(comparison_from_json(to_json(comparison)), comparison);
  EXPECT_EQ(tests::schema_violation(to_json(comparison), comparison_schemas()), "");
  EXPECT_THAT(bad_input_of([] { comparison_from_json("{}"); }), HasSubstr("schema"));
  const Baseline baseline = {"main", "flopcast-race-1", "/home/a/baselines/main.json"};
  EXPECT_EQ(baseline_from_json(to_json(baseline)), baseline);
  EXPECT_EQ(tests::schema_violation(to_json(baseline), comparison_schemas()), "");
}

constexpr const char* race = R"({"schema": "flopcast-race-1", "commands": [{"name": "A", "elapsed_seconds": 1.5}]})";

TEST(Baselines, AreKeptByName) {
  const ScratchFolder folder;
  const Variable home("FLOPCAST_HOME", folder.file("home"));
  const std::string file = folder.write("race.json", race);
  const Baseline kept = save_baseline({"main", file});
  EXPECT_EQ(kept.kind, "flopcast-race-1");
  EXPECT_TRUE(std::filesystem::exists(kept.file));
  CompareRequest request = {"main", file, true};
  const Comparison comparison = compare_results(request);
  EXPECT_EQ(comparison.before, "baseline main");
  EXPECT_EQ(comparison.quantities.at(0).ratio, 1);
  request.before = "mian";
  EXPECT_THAT(bad_input_of([&] { compare_results(request); }), AllOf(HasSubstr("no baseline 'mian'"), HasSubstr("there are main")));
}

TEST(Baselines, RefuseNamesAndFilesThatAreNone) {
  const ScratchFolder folder;
  const Variable home("FLOPCAST_HOME", folder.file("home"));
  const std::string file = folder.write("race.json", race);
  for (const char* name : {"", "../main", ".hidden", "-f", "a b", "a/b"}) {
    EXPECT_THAT(bad_input_of([&] { save_baseline({name, file}); }), HasSubstr("can't name a baseline")) << name;
  }
  const std::string cut = folder.write("cut.json", std::string(race).substr(0, 60));
  EXPECT_THAT(bad_input_of([&] { save_baseline({"main", cut}); }), HasSubstr("cut.json"));
  EXPECT_FALSE(std::filesystem::exists(folder.file("home/baselines/main.json")));
}

}  // namespace
}  // namespace flopcast
