#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "flopcast/tasks/comparison/comparison.hpp"
#include "flopcast/tasks/programs/advice.hpp"
#include "tests/tasks/reporting/contents.hpp"

namespace flopcast {
namespace {

using report::Trust;
using search::Verdict;
using ::testing::AllOf;
using ::testing::HasSubstr;
using tests::contents;

ComparedQuantity quantity(const std::string& what, double ratio, Verdict verdict) {
  return {what,   {}, "s", 1, ratio, Interval{0.9, 1.1}, Interval{0.9 * ratio, 1.1 * ratio}, ratio, Interval{0.95 * ratio, 1.05 * ratio},
          verdict};
}

Comparison comparison() {
  Comparison comparison{"flopcast-race-1", "before.json", "after it.json"};
  comparison.quantities = {quantity("small", 1.01, Verdict::same), quantity("worse", 1.5, Verdict::slower),
                           quantity("better", 0.5, Verdict::faster)};
  comparison.settings = {"CPU: X; Y"};
  return comparison;
}

TEST(ComparisonContents, ShowTheLargestChangesFirst) {
  const PageContents page = contents(comparison());
  EXPECT_THAT(page.answer,
              AllOf(HasSubstr("3 compared: 1 slower, 1 faster, 1 the same, 0 unsure"), HasSubstr("worse: 1.500 (1.425 to 1.575) times")));
  const report::BarChart& chart = tests::bars(page);
  ASSERT_EQ(chart.bars.size(), 4U);
  EXPECT_EQ(chart.bars[0].label, "better");
  EXPECT_NEAR(chart.bars[1].range->high, 1.575, 1e-12);
  EXPECT_TRUE(chart.bars[3].reference);
  EXPECT_EQ(page.trust, Trust::quiet);
  EXPECT_EQ(page.steps.at(0).command, "flopcast compare --save-baseline NAME 'after it.json'");
  EXPECT_THAT(page.warnings, ::testing::ElementsAre(HasSubstr("CPU: X; Y")));
}

TEST(ComparisonContents, SayWhatToDoAboutALoss) {
  Comparison fails = comparison();
  fails.fails = true;
  fails.fail_above = 0.05;
  EXPECT_THAT(contents(fails).steps.at(0).text, HasSubstr("5.0 %"));
  EXPECT_EQ(contents(fails).steps.at(0).command, "");
  fails.fails = false;
  fails.quantities = {quantity("any", 1.2, Verdict::unsure)};
  EXPECT_EQ(contents(fails).trust, Trust::unusable);
  EXPECT_THAT(contents(fails).steps.at(0).text, HasSubstr("quiet machine"));
}

TEST(RaceContents, AreJudgedByTheReferenceAgainstItself) {
  const auto trust = [](const std::string& verdict) {
    std::string text = tests::race_document();
    text.replace(text.find("\"same\""), 6, '"' + verdict + '"');
    return contents_of({"race.json", text}).trust;
  };
  EXPECT_EQ(trust("same"), Trust::quiet);
  EXPECT_EQ(trust("slower"), Trust::unusable);
  EXPECT_EQ(trust("unsure"), Trust::unknown);
}

TEST(RaceContents, NameTheFasterCommand) {
  const PageContents page = contents_of({"race.json", tests::race_document()});
  EXPECT_EQ(page.answer, "B is the fastest: 0.500 times the time of A (0.400 to 0.600).");
  EXPECT_EQ(page.steps.at(0).command, "b 'x y'");
  EXPECT_TRUE(tests::bars(page).bars.at(0).reference);
}

TEST(ProgramTuningContents, GiveTheCommandWithTheChosenSetting) {
  ProgramTuning tuning;
  tuning.command = {"./ldlt", "{nb}", "--size={nb}x{nb}"};
  tuning.configurations = {{{{"nb", "64"}}, ConfigurationVerdict::chosen, 1.0, Interval{0.9, 1.1}},
                           {{{"nb", "32"}}, ConfigurationVerdict::tie, 1.05, Interval{0.95, 1.15}},
                           {{{"nb", "16"}}, ConfigurationVerdict::failed}};
  tuning.regret = 0.02;
  const PageContents page = contents(tuning);
  EXPECT_EQ(page.steps.at(0).command, "./ldlt 64 --size=64x64");
  EXPECT_THAT(page.answer, AllOf(HasSubstr("nb=64"), HasSubstr("tie with it: 1."), HasSubstr("2.0 %")));
  EXPECT_EQ(tests::bars(page).bars.size(), 2U);
  tuning.variables = {"OMP_NUM_THREADS"};
  tuning.configurations[0].setting["OMP_NUM_THREADS"] = "2";
  EXPECT_EQ(contents(tuning).steps.at(0).command, "env OMP_NUM_THREADS=2 ./ldlt 64 --size=64x64");
  tuning.command.clear();
  EXPECT_EQ(contents(tuning).steps.at(0).command, "") << "the command is left out";
  EXPECT_THAT(contents(ProgramTuning()).answer, HasSubstr("No setting"));
}

}  // namespace
}  // namespace flopcast
