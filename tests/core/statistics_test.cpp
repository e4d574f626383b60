#include "flopcast/core/statistics.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

namespace flopcast {
namespace {

TEST(Quantile, InterpolatesLikeTypeSevenOfHyndmanAndFan) {
  const std::vector<double> values = {4, 1, 3, 2};
  EXPECT_DOUBLE_EQ(quantile(values, 0), 1);
  EXPECT_DOUBLE_EQ(quantile(values, 0.25), 1.75);  // R: quantile(1:4, 0.25)
  EXPECT_DOUBLE_EQ(quantile(values, 0.5), 2.5);
  EXPECT_DOUBLE_EQ(quantile(values, 1), 4);
  EXPECT_DOUBLE_EQ(median(std::vector<double>{7}), 7);
}

TEST(Quantile, WithoutValuesIsNotANumber) {
  EXPECT_TRUE(std::isnan(quantile({}, 0.5)));
  EXPECT_TRUE(std::isnan(median_interval({}).low));
  EXPECT_TRUE(std::isnan(summarise({}).mean));
}

TEST(QuantileOfMaximum, IsDunnettsCriticalValueForEqualVariables) {
  const double one_sided[] = {1.645, 1.916, 2.062, 2.160, 2.234, 2.292, 2.340, 2.381, 2.417};  // table of 1955, infinite degrees of freedom
  std::vector<Normal> variables;
  for (const double expected : one_sided) {
    variables.push_back({0, 1});
    EXPECT_NEAR(quantile_of_maximum(variables, 0.95), expected, 0.002) << variables.size();
  }
}

TEST(QuantileOfMaximum, HoldsInSimulatedExperiments) {
  const std::vector<Normal> variables = {{-0.02, 0.01}, {0, 0.02}, {-0.01, 0.03}, {-0.2, 0.05}};
  const double bound = quantile_of_maximum(variables, 0.95);
  std::mt19937_64 random(3);
  std::normal_distribution<double> normal;
  constexpr int experiments = 40000;
  int held = 0;
  for (int i = 0; i < experiments; ++i) {
    const double common = normal(random);
    double largest = -1;
    for (const Normal& variable : variables) {
      largest = std::max(largest, variable.mean + variable.deviation * (common + normal(random)) / std::sqrt(2.0));
    }
    held += largest <= bound ? 1 : 0;
  }
  EXPECT_NEAR(static_cast<double>(held) / experiments, 0.95, 0.004);
}

TEST(QuantileOfMaximum, KnowsVariablesWithoutDeviation) {
  EXPECT_DOUBLE_EQ(quantile_of_maximum(std::vector<Normal>{{0.3, 0}}, 0.95), 0.3);
  EXPECT_NEAR(quantile_of_maximum(std::vector<Normal>{{0, 1}, {5, 0}}, 0.95), 5, 1e-3);
  EXPECT_TRUE(std::isinf(quantile_of_maximum({}, 0.95)));
}

/// Returns P(X_(l+1) <= median <= X_(n-l)) for l values left out on each side, by summing binomial coefficients.
double coverage(int n, int l) {
  double outside = 0;
  double coefficient = 1;
  for (int k = 0; k < l; ++k) {
    outside += coefficient;
    coefficient = coefficient * (n - k) / (k + 1);
  }
  return 1 - 2 * outside * std::pow(0.5, n);
}

TEST(MedianInterval, TakesTheBinomialOrderStatistics) {
  for (int n = 6; n < 200; ++n) {
    std::vector<double> values;
    for (int i = 0; i < n; ++i) {
      values.push_back(i);
    }
    std::shuffle(values.begin(), values.end(), std::mt19937(1));
    const Interval interval = median_interval(values, 0.95);
    const int left_out = static_cast<int>(interval.low);
    EXPECT_EQ(interval.high, n - 1 - left_out);
    EXPECT_GE(coverage(n, left_out + 1), 0.95) << n;
    EXPECT_LT(coverage(n, left_out + 2), 0.95) << n;
  }
}

TEST(MedianInterval, IsTheFullRangeOfTooFewValues) {
  EXPECT_EQ(median_interval(std::vector<double>{3, 1, 2, 5, 4}, 0.95), (Interval{1, 5}));  // 1 - 2/32 = 0.9375
  EXPECT_EQ(median_interval(std::vector<double>{2}, 0.95), (Interval{2, 2}));
}

TEST(MedianInterval, WorksForManyValues) {
  std::vector<double> values;
  for (int i = 0; i < 5001; ++i) {
    values.push_back(i);
  }
  const Interval interval = median_interval(values, 0.95);  // normal approximation: 2500 -+ 1.96 sqrt(5001)/2
  EXPECT_NEAR(interval.low, 2500 - 69.3, 1.5);
  EXPECT_NEAR(interval.high, 2500 + 69.3, 1.5);
}

TEST(Welford, AgreesWithTwoPasses) {
  Welford online;
  const std::vector<double> values = {1e9 + 4, 1e9 + 7, 1e9 + 13, 1e9 + 16};
  for (const double value : values) {
    online.add(value);
  }
  EXPECT_EQ(online.count, 4);
  EXPECT_DOUBLE_EQ(online.mean, 1e9 + 10);
  EXPECT_DOUBLE_EQ(online.variance(), 30);
}

TEST(Welford, HasAnInfiniteIntervalBelowTwoValues) {
  Welford online;
  online.add(5);
  EXPECT_EQ(online.variance(), 0);
  EXPECT_TRUE(std::isinf(online.mean_interval().high));
  online.add(7);  // mean 6, standard error 1, t(0.995, 1) = 63.65674
  EXPECT_NEAR(online.mean_interval(0.99).high, 6 + 63.65674, 1e-4);
}

struct Published {
  double probability, degrees, quantile;
};

TEST(StudentT, AgreesWithPublishedValues) {
  // Abramowitz and Stegun, Table 26.10, with more digits where a closed form exists (1 and 2 degrees of freedom).
  for (const Published& row : std::vector<Published>{{0.75, 1, 1.0},
                                                     {0.975, 1, 12.706204736},
                                                     {0.995, 1, 63.656741162},
                                                     {0.95, 2, 2.919985580},
                                                     {0.975, 2, 4.302652730},
                                                     {0.995, 2, 9.924843201},
                                                     {0.975, 5, 2.570581836},
                                                     {0.995, 10, 3.169272673},
                                                     {0.975, 30, 2.042272456},
                                                     {0.995, 120, 2.617421145}}) {
    EXPECT_NEAR(student_t_quantile(row.probability, row.degrees), row.quantile, 1e-6) << row.probability << " " << row.degrees;
    EXPECT_NEAR(student_t_quantile(1 - row.probability, row.degrees), -row.quantile, 1e-6);
  }
}

TEST(StudentT, HasClosedFormsForOneAndTwoDegrees) {
  for (const double p : {1e-9, 0.001, 0.2, 0.4999, 0.5, 0.50001, 0.9, 0.999999}) {
    const double one = std::tan(M_PI * (p - 0.5));
    const double two = (2 * p - 1) * std::sqrt(2 / (4 * p * (1 - p)));
    EXPECT_NEAR(student_t_quantile(p, 1), one, 1e-6 * std::max(1.0, std::fabs(one))) << p;
    EXPECT_NEAR(student_t_quantile(p, 2), two, 1e-6 * std::max(1.0, std::fabs(two))) << p;
  }
}

TEST(StudentT, TendsToTheNormalDistribution) {
  EXPECT_NEAR(student_t_quantile(0.995, 1e7), normal_quantile(0.995), 1e-6);
  EXPECT_NEAR(student_t_quantile(0.6, 1e7), normal_quantile(0.6), 1e-6);
}

TEST(NormalQuantile, AgreesWithPublishedValues) {
  EXPECT_NEAR(normal_quantile(0.975), 1.959963984540054, 1e-12);
  EXPECT_NEAR(normal_quantile(0.995), 2.575829303548901, 1e-12);
  EXPECT_NEAR(normal_quantile(0.841344746068543), 1, 1e-12);
  EXPECT_NEAR(normal_quantile(1e-9), -5.997807015007687, 1e-9);
  EXPECT_EQ(normal_quantile(0.5), 0);
}

TEST(Summary, HasAllValuesOfATable) {
  const Summary summary = summarise(std::vector<double>{5, 1, 4, 2, 3});
  EXPECT_EQ(summary.count, 5);
  EXPECT_EQ(summary.minimum, 1);
  EXPECT_EQ(summary.first_quartile, 2);
  EXPECT_EQ(summary.median, 3);
  EXPECT_EQ(summary.third_quartile, 4);
  EXPECT_EQ(summary.maximum, 5);
  EXPECT_EQ(summary.mean, 3);
  EXPECT_DOUBLE_EQ(summary.standard_deviation, std::sqrt(2.5));
  EXPECT_EQ(summary.median_interval, (Interval{1, 5}));
}

}  // namespace
}  // namespace flopcast
