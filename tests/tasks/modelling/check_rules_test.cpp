#include "flopcast/tasks/modelling/check_rules.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace flopcast {
namespace {

CheckedPoint point(Seconds predicted, double margin, std::vector<Seconds> runs) {
  CheckedPoint point;
  point.seconds = predicted;
  point.interval = {predicted * (1 - margin), predicted * (1 + margin)};
  point.wall_times = std::move(runs);
  return point;
}

TEST(BinomialTail, IsTheSumOfItsTerms) {
  EXPECT_DOUBLE_EQ(binomial_tail(10, 0, 0.05), 1);
  EXPECT_NEAR(binomial_tail(3, 3, 0.5), 0.125, 1e-12);
  EXPECT_NEAR(binomial_tail(4, 2, 0.1), 6 * 0.01 * 0.81 + 4 * 0.001 * 0.9 + 0.0001, 1e-12);
  EXPECT_EQ(binomial_tail(4, 5, 0.1), 0);
  EXPECT_NEAR(binomial_tail(1000, 30, 0.05), 0.9991, 1e-3);
}

TEST(StandardScore, CountsEveryPartOfTheDeviation) {
  const std::vector<Seconds> steady(5, 1.1e-3);
  const double method = 0.03;
  EXPECT_NEAR(standard_score({1e-3, 0, false}, steady, 0), std::log(1.1) / method, 1e-9);
  EXPECT_NEAR(standard_score({1e-3, 0.04, false}, steady, 0), std::log(1.1) / 0.05, 1e-9);
  EXPECT_NEAR(standard_score({1e-3, 0, false}, steady, 0.04), std::log(1.1) / 0.05, 1e-9);
  EXPECT_LT(standard_score({1e-3, 0, false}, std::vector<Seconds>{0.8e-3, 1.1e-3, 1.4e-3}, 0), 0.5 * std::log(1.1) / method);
  EXPECT_LT(standard_score({1e-3, 0, false}, std::vector<Seconds>(3, 0.9e-3), 0), -3);
}

TEST(SuspectScore, GrowsWithTheNumberOfPoints) {
  EXPECT_NEAR(suspect_score(1), 2.576, 1e-3);
  EXPECT_NEAR(suspect_score(100), 3.891, 1e-3);
}

TEST(Refutation, NeedsTwoSeriesThatSayTheSame) {
  EXPECT_TRUE(is_refuted(5, 4, 4));
  EXPECT_TRUE(is_refuted(-5, -6, 4));
  EXPECT_FALSE(is_refuted(5, 3.9, 4));
  EXPECT_FALSE(is_refuted(5, -5, 4));
}

TEST(Refutation, OfMostPointsIsThatOfTheKernel) {
  EXPECT_TRUE(is_whole_kernel_refuted(10, 6, 4, 3));
  EXPECT_FALSE(is_whole_kernel_refuted(10, 5, 5, 5)) << "half of the points hold";
  EXPECT_FALSE(is_whole_kernel_refuted(10, 8, 8, 4)) << "half of the retests say something else";
  EXPECT_FALSE(is_whole_kernel_refuted(2, 2, 2, 2)) << "too few";
}

TEST(KernelChecks, SummariseRunsErrorsAndBias) {
  KernelCheck check;
  check.points = {point(1, 0.1, {1, 1.05, 1.2}), point(2, 0.1, {1.6, 1.6, 1.6}), point(1, 0.1, {1, 1, 1})};
  summarise(check);
  EXPECT_EQ(check.runs, 9);
  EXPECT_EQ(check.within, 5);
  EXPECT_NEAR(check.median_error, 1 - 1 / 1.05, 1e-12);
  EXPECT_NEAR(check.bias, 0, 1e-12);
  EXPECT_GT(check.high_error, 0.2);
}

TEST(Verdicts, GoByPointsOutsideOfTheirIntervals) {
  KernelCheck check;
  check.points = {point(1, 0.1, {1, 1, 1}), point(1, 0.1, {1, 1, 1})};
  EXPECT_EQ(verdict(check), CheckVerdict::too_few);
  check.points.resize(20, point(1, 0.1, {1, 1, 1}));
  EXPECT_EQ(verdict(check), CheckVerdict::holds);
  check.points.resize(23, point(1, 0.1, {1.5, 1.5, 1.5}));
  EXPECT_EQ(verdict(check), CheckVerdict::holds) << "3 of 23 happen by chance once in ten times";
  check.points.resize(28, point(1, 0.1, {1.5, 1.5, 1.5}));
  EXPECT_EQ(verdict(check), CheckVerdict::narrow);
}

TEST(Verdicts, GoByWhatBecameOfSuspects) {
  KernelCheck check;
  check.points.resize(5, point(1, 0.1, {1, 1, 1}));
  check.suspects = check.retested = 2;
  EXPECT_EQ(verdict(check), CheckVerdict::holds) << "later runs didn't say the same";
  check.retested = 1;
  EXPECT_EQ(verdict(check), CheckVerdict::doubtful) << "there was no time to make sure";
  check.retested = 2;
  check.refuted = 1;
  EXPECT_EQ(verdict(check), CheckVerdict::doubtful) << "refuted, but nothing was replaced";
  check.removed = 1;
  EXPECT_EQ(verdict(check), CheckVerdict::replaced);
}

}  // namespace
}  // namespace flopcast
