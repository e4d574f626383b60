#include "flopcast/measure/repetitions.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

#include "flopcast/measure/drift.hpp"

namespace flopcast::measure {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

void add(Repetitions& tally, Seconds seconds, bool disturbed = false) {
  const std::array<Seconds, 1> one = {seconds};
  tally.add(one, 0, seconds, disturbed);
}

/// Returns the times of the repetitions that count.
std::vector<Seconds> counted(const Timings& timings) {
  std::vector<Seconds> times;
  for (const Repetition& repetition : timings.calls[0]) {
    if (!repetition.discarded) {
      times.push_back(repetition.seconds);
    }
  }
  return times;
}

/// Returns the number of repetitions that the rule wants if each takes `seconds`.
std::int64_t wanted(const StopRule& rule, Seconds seconds, std::int64_t batch = 1) {
  Repetitions tally(rule, 1, batch);
  while (tally.wants_more()) {
    add(tally, seconds);
  }
  return tally.made();
}

TEST(Repetitions, RepeatsLongCallsLessOften) {
  EXPECT_EQ(wanted({}, 1e-6), 7);
  EXPECT_EQ(wanted({}, 0.3e-3), 7);
  EXPECT_EQ(wanted({}, 3e-3), 5);
  EXPECT_EQ(wanted({}, 30e-3), 3);
  EXPECT_EQ(wanted({}, 5), 3);
  EXPECT_EQ(wanted({}, 3e-5, 100), 5);  // the time of a batch is that of all its calls
}

TEST(Repetitions, StopsAtTheTimeLimit) {
  StopRule rule;
  rule.min_repetitions = rule.max_repetitions = 100;
  rule.time_limit = 1;
  EXPECT_EQ(wanted(rule, 0.3), 4);
  EXPECT_EQ(wanted(rule, 7), 1);
}

TEST(Repetitions, StopsWhenTheMediansIntervalIsNarrow) {
  StopRule rule;
  rule.max_repetitions = 50;
  rule.relative_interval = 0.01;
  EXPECT_EQ(wanted(rule, 0.3), 8);  // fewer values have no interval with 99 % confidence: 1 - 2/2^7 = 0.984
  rule.confidence = 0.95;
  EXPECT_EQ(wanted(rule, 0.3), 6);
}

TEST(Repetitions, StopsWhenTheMeansIntervalIsNarrow) {
  StopRule rule;
  rule.max_repetitions = 50;
  rule.relative_interval = 0.01;
  rule.of_mean = true;
  Repetitions tally(rule, 1, 1);
  for (const Seconds seconds : {1.0, 1.002, 0.998}) {  // t(0.995, 2) = 9.92, standard error 0.00115
    EXPECT_TRUE(tally.wants_more());
    add(tally, seconds);
  }
  EXPECT_TRUE(tally.wants_more());
  add(tally, 1);  // t(0.995, 3) = 5.84, standard error 0.00082
  EXPECT_FALSE(tally.wants_more());
}

TEST(Repetitions, ExpectsMoreAfterADisturbance) {
  StopRule rule;
  rule.min_repetitions = rule.max_repetitions = 3;
  Repetitions tally(rule, 1, 1);
  EXPECT_EQ(tally.expected(), 3);
  add(tally, 1);
  EXPECT_EQ(tally.expected(), 3);
  add(tally, 1, true);
  EXPECT_EQ(tally.expected(), 4);
  add(tally, 1);
  add(tally, 1);
  EXPECT_FALSE(tally.wants_more());
  EXPECT_EQ(tally.expected(), 4);
  EXPECT_THAT(tally.take().warnings, IsEmpty());  // one disturbed repetition of four is usual
}

TEST(Repetitions, RepeatsDisturbedCallsTwiceAsOftenAtMost) {
  StopRule rule;
  rule.min_repetitions = 3;
  rule.max_repetitions = 15;
  Repetitions tally(rule, 1, 1);
  while (tally.wants_more()) {
    add(tally, 1, true);
  }
  EXPECT_EQ(tally.made(), 6) << "twice the 3 repetitions of long calls";
}

TEST(Repetitions, CountsTheFastestDisturbedIfNothingElseIsThere) {
  StopRule rule;
  rule.min_repetitions = 2;
  rule.max_repetitions = 2;
  Repetitions tally(rule, 1, 1);
  add(tally, 9, true);
  add(tally, 3, true);
  add(tally, 5, false);
  add(tally, 4, true);
  EXPECT_FALSE(tally.wants_more());
  const Timings timings = tally.take();
  EXPECT_THAT(counted(timings), ElementsAre(3, 5));
  EXPECT_THAT(timings.warnings, ElementsAre(HasSubstr("the least disturbed count")));
  EXPECT_GT(timings.state.noise, Drift::noisy) << "such a sample is measured anew";
}

TEST(Repetitions, ForgetsRepetitionsThatAreDiscardedLater) {
  StopRule rule;
  rule.min_repetitions = rule.max_repetitions = 3;
  Repetitions tally(rule, 1, 1);
  add(tally, 1);
  add(tally, 9, true);
  add(tally, 2);
  add(tally, 3);
  EXPECT_FALSE(tally.wants_more());
  tally.discard(2, 1.5);
  tally.discard(2, 1.5);
  tally.discard(1, 1.5);  // this repetition was disturbed already
  EXPECT_TRUE(tally.wants_more());
  EXPECT_EQ(tally.expected(), 5);
  add(tally, 4);
  EXPECT_FALSE(tally.wants_more());
  const Timings timings = tally.take();
  EXPECT_THAT(counted(timings), ElementsAre(1, 3, 4));
  EXPECT_THAT(timings.warnings, ElementsAre(HasSubstr("more than a quarter")));
}

TEST(Repetitions, CountsTheLeastSlowRepetitionsIfThereAreNoOthers) {
  StopRule rule;
  rule.min_repetitions = rule.max_repetitions = 2;
  Repetitions tally(rule, 1, 1);
  add(tally, 1, true);
  add(tally, 7);
  add(tally, 5);
  add(tally, 6);
  tally.discard(1, 1.3);
  tally.discard(2, 1.7);
  tally.discard(3, 1.4);
  const Timings timings = tally.take();
  EXPECT_THAT(counted(timings), ElementsAre(7, 6)) << "slowness decides, not time";
}

TEST(Repetitions, CorrectsContradictoryRules) {
  StopRule rule;
  rule.min_repetitions = 5;
  rule.max_repetitions = 0;
  EXPECT_EQ(wanted(rule, 1), 1);
}

}  // namespace
}  // namespace flopcast::measure
