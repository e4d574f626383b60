#include "flopcast/program/growth.hpp"

#include <gmock/gmock.h>

#include <cmath>
#include <functional>
#include <random>
#include <vector>

namespace flopcast::program {
namespace {

using ::testing::AllOf;
using ::testing::DoubleNear;
using ::testing::Ge;
using ::testing::Le;

std::vector<GrowthPoint> points(const std::vector<double>& parameters, const std::function<double(double)>& value) {
  std::vector<GrowthPoint> all;
  for (const double n : parameters) {
    all.push_back({n, value(n)});
  }
  return all;
}

const std::vector<double> orders = {500, 1000, 2000};

struct ExactCase {
  const char* formula;
  std::function<double(double)> value;
};

class ExactGrowth : public ::testing::TestWithParam<ExactCase> {};

TEST_P(ExactGrowth, IsFoundFromThreePoints) {
  const std::optional<Growth> growth = exact_growth(points(orders, GetParam().value), 8000);
  ASSERT_TRUE(growth);
  EXPECT_EQ(growth->formula, GetParam().formula);
  EXPECT_EQ(growth->value, GetParam().value(8000));
  EXPECT_EQ(growth->misfit, 0);
}

INSTANTIATE_TEST_SUITE_P(Forms, ExactGrowth,
                         ::testing::Values(ExactCase{"64", [](double) { return 64.0; }}, ExactCase{"n", [](double n) { return n; }},
                                           ExactCase{"2 n - 1", [](double n) { return 2 * n - 1; }},
                                           ExactCase{"3 n/4 + 5", [](double n) { return 3 * n / 4 + 5; }},
                                           ExactCase{"ceil(n/64)", [](double n) { return std::ceil(n / 64); }},
                                           ExactCase{"ceil(n/48) + 1", [](double n) { return std::floor(n / 48) + 2; }},
                                           ExactCase{"n^2", [](double n) { return n * n; }},
                                           ExactCase{"n^2/2 + n/2", [](double n) { return n * (n + 1) / 2; }},
                                           ExactCase{"n^3 + 7", [](double n) { return n * n * n + 7; }}));

TEST(ExactGrowthOfRandomFormulas, IsTheirs) {
  std::mt19937 random(1);
  const auto draw = [&](int low, int high) { return static_cast<double>(std::uniform_int_distribution(low, high)(random)); };
  for (int i = 0; i < 300; ++i) {
    const double numerator = draw(1, 4), denominator = draw(1, 100), constant = draw(0, 50);
    const auto value = [&](double n) { return std::floor(n * numerator / denominator) + constant; };
    const std::vector<double> parameters = {draw(100, 400), draw(500, 900), draw(1000, 3000)};
    const double target = draw(4000, 9000);
    const std::vector<GrowthPoint> all = points(parameters, value);
    if (all.back().value - all.front().value < 8) {
      continue;
    }
    const std::optional<Growth> growth = exact_growth(all, target);
    ASSERT_TRUE(growth) << numerator << "/" << denominator;
    EXPECT_THAT(value(target), AllOf(Ge(growth->interval.low - 1), Le(growth->interval.high + 1))) << growth->formula;
  }
}

TEST(ExactGrowthOfOtherNumbers, IsNone) {
  EXPECT_FALSE(exact_growth(points(orders, [](double n) { return n == 1000 ? 77 : n; }), 8000));
  EXPECT_FALSE(exact_growth(std::vector<GrowthPoint>{{100, 100}, {200, 200}, {300, 400}}, 1600)) << "a wrong parameter";
  EXPECT_FALSE(exact_growth(std::vector<GrowthPoint>{{100, 400}, {200, 100}, {300, 200}}, 1600)) << "parameters of other recordings";
  EXPECT_FALSE(exact_growth(std::vector<GrowthPoint>{{500, 5}, {1000, 6}, {2000, 8}}, 8000)) << "few iterations lie on a line by chance";
}

TEST(SmoothGrowth, FollowsNoisyNumbersWithAnInterval) {
  const auto value = [](double n) { return 0.2 + 3e-8 * n * n; };
  std::vector<GrowthPoint> noisy = points(orders, value);
  noisy[1].value *= 1.02;
  const Growth growth = smooth_growth(noisy, 8000, 0.05, Measured::time);
  EXPECT_THAT(value(8000), AllOf(Ge(growth.interval.low), Le(growth.interval.high)));
  EXPECT_LT(growth.misfit, 0.05);
}

TEST(SmoothGrowth, HasAWideIntervalWhereFormsLookAlike) {
  const Growth flat = smooth_growth(std::vector<GrowthPoint>{{500, 1}, {1000, 1.01}, {2000, 1.02}}, 8000, 0.05, Measured::time);
  EXPECT_LT(flat.interval.low, 1.05);
  EXPECT_GT(flat.interval.high, 1.2);
  const Growth zero = smooth_growth(std::vector<GrowthPoint>{{500, 0}, {1000, 0}, {2000, 0}}, 8000, 0.05, Measured::time);
  EXPECT_EQ(zero.value, 0);
}

TEST(SmoothGrowth, SaysHowFarWildNumbersLieFromIt) {
  EXPECT_GT(smooth_growth(std::vector<GrowthPoint>{{500, 10}, {1000, 100}, {2000, 20}}, 8000, 0.05, Measured::time).misfit, 0.5);
}

TEST(SmoothGrowth, OfSizesMayBeginBelowZero) {
  const Growth rest = smooth_growth(points(orders, [](double n) { return 0.7 * n - 33; }), 8000, 0.05, Measured::size);
  EXPECT_NEAR(rest.value, 0.7 * 8000 - 33, 1);
  EXPECT_EQ(rest.formula, "0.7 n - 33");
}

TEST(TwoParts, HaveTheFactorsOfTheirSumAndNoNegativeOnes) {
  const std::vector<double> cubes = {1, 8, 64, 512}, squares = {1, 4, 16, 64};
  const auto sum = [&](double first, double second) {
    std::vector<double> values;
    for (std::size_t i = 0; i < cubes.size(); ++i) {
      values.push_back(first * squares[i] + second * cubes[i]);
    }
    return values;
  };
  const TwoParts fit = fit_parts(squares, cubes, sum(0.5, 3), 0.5);
  EXPECT_NEAR(fit.first, 0.5, 1e-9);
  EXPECT_NEAR(fit.second, 3, 1e-9);
  EXPECT_LT(fit.misfit, 1e-9);
  EXPECT_EQ(fit_parts(squares, cubes, sum(-0.5, 3), 0.5).first, 0);
  EXPECT_NEAR(fit_parts(squares, cubes, sum(-0.5, 3), 0.5, true).first, -0.5, 1e-9);
  EXPECT_EQ(fit_parts(squares, cubes, sum(9, -0.1), 0.5).second, 0);
}

}  // namespace
}  // namespace flopcast::program
