#include "flopcast/selective/kernel_times.hpp"

#include <gtest/gtest.h>

#include <initializer_list>

namespace flopcast::selective {
namespace {

constexpr std::int64_t min_count = 3;

KernelStatistics statistics(std::initializer_list<double> values) {
  KernelStatistics all;
  for (const double value : values) {
    all.add(value);
  }
  return all;
}

KernelTimes learnt(std::initializer_list<double> values) {
  KernelTimes times;
  for (const double value : values) {
    times.learn(value, min_count);
  }
  return times;
}

TEST(KernelTimes, OneDeviantTimeIsKeptApart) {
  KernelTimes times = learnt({1, 1, 1});
  EXPECT_FALSE(times.learn(2, min_count));
  EXPECT_TRUE(times.is_deviant());
  EXPECT_EQ(times.in_program().mean, 1);
  times.learn(1, min_count);
  EXPECT_FALSE(times.is_deviant());
}

TEST(KernelTimes, SeveralDeviantTimesInARowAreAnotherSpeed) {
  KernelTimes times = learnt({1, 1, 1, 2, 2});
  EXPECT_TRUE(times.learn(2, min_count));
  EXPECT_EQ(times.in_program().mean, 2);
  EXPECT_EQ(times.in_program().count, 3);
}

TEST(KernelTimes, InContextALongTimeIsADisturbance) {
  KernelTimes times;
  for (const Seconds seconds : {1.0, 1.0, 1.0, 9.0}) {
    times.learn_in_context(seconds, min_count);
  }
  EXPECT_EQ(times.in_context(), statistics({1, 1, 1}));
}

TEST(KernelTimes, InContextAMuchShorterTimeReplacesTheFirstOnes) {
  KernelTimes times;
  times.learn_in_context(9, min_count);
  times.learn_in_context(1, min_count);
  EXPECT_EQ(times.in_context(), statistics({1}));
}

TEST(KernelTimes, PriorTimesSettleOnceATimeOfThisRunAgrees) {
  KernelTimes times;
  times.know({{}, statistics({1, 1, 1}), 0, 0}, false);
  EXPECT_EQ(times.in_program().count, 0);
  times.learn(1.1, min_count);
  EXPECT_EQ(times.in_program().count, 4);
  KernelTimes changed;
  changed.know({{}, statistics({1, 1, 1}), 0, 0}, false);
  changed.learn(2, min_count);
  EXPECT_EQ(changed.in_program().count, 1);
}

TEST(KernelTimes, TrustedPriorTimesSettleAtOnce) {
  KernelTimes times;
  times.know({{}, statistics({1, 1, 1}), 0, 0}, true);
  EXPECT_EQ(times.in_program().count, 3);
  KernelTimes without;
  without.know({}, true);
  EXPECT_FALSE(without.is_trusted()) << "there is nothing to trust";
}

TEST(KernelTimes, FewImplausibleTimesAreDoubtful) {
  KernelTimes times = learnt({5, 5});
  times.expect_at_most(2);
  EXPECT_TRUE(times.is_doubtful(times.in_program()));
  times.learn(1, min_count);
  EXPECT_EQ(times.in_program(), statistics({1})) << "a plausible time replaces them";
  KernelTimes many;
  many.expect_at_most(2);
  for (int i = 0; i < 16; ++i) {
    many.learn(5, min_count);
  }
  EXPECT_FALSE(many.is_doubtful(many.in_program()));
}

TEST(KernelTimes, TimesOfTheFirstExecutionCountWhereThereAreNoOthers) {
  KernelTimes times = learnt({3, 3, 3});
  times.doubt_first_execution();
  EXPECT_EQ(times.in_program().count, 0);
  EXPECT_EQ(times.known().mean, 3);
  times.learn(1, min_count);
  EXPECT_EQ(times.known(), statistics({1}));
}

TEST(KernelTimes, VariedTimesKeepTheirMean) {
  KernelTimes times;
  for (const Seconds seconds : {1.0, 1.5}) {
    times.learn_in_context(seconds, min_count);
  }
  std::minstd_rand chance;
  KernelStatistics drawn;
  for (int i = 0; i < 1000; ++i) {
    drawn.add(times.varied(10, chance));
  }
  EXPECT_NEAR(drawn.mean, 10, 0.2);
  EXPECT_GT(drawn.variance(), 1);
  EXPECT_EQ(KernelTimes().varied(10, chance), 10);
}

}  // namespace
}  // namespace flopcast::selective
