#include "flopcast/search/bounds.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <random>

namespace flopcast::search {
namespace {

TEST(SignRank, IsThatOfTheSignTest) {
  EXPECT_EQ(sign_rank(4, 1.0 / 16), 1U);  // all four above the median: 1/16
  EXPECT_EQ(sign_rank(4, 0.06), 0U);
  EXPECT_EQ(sign_rank(20, 0.025), 6U);  // from tables of the binomial distribution: P(at most 5 of 20) = 0.0207
  EXPECT_EQ(sign_rank(0, 0.5), 0U);
  EXPECT_GT(sign_rank(5000, 1e-6), 2300U);
}

/// Returns the share of trials in which `exceeds` is true of n values and `aa` A/A differences, whose median is 0.
template <class Exceeds>
double simulated_share(int trials, std::size_t n, std::size_t aa, Exceeds exceeds) {
  std::mt19937_64 random(7);
  std::normal_distribution<double> normal;
  int exceeded = 0;
  for (int trial = 0; trial < trials; ++trial) {
    std::vector<double> values(n), others(aa);
    std::generate(values.begin(), values.end(), [&] { return normal(random); });
    std::generate(others.begin(), others.end(), [&] { return normal(random); });
    exceeded += exceeds(values, others) ? 1 : 0;
  }
  return static_cast<double>(exceeded) / trials;
}

/// Returns the simulated probability that the rank-th smallest of n exceeds the margin-th largest |A/A| although the median is 0.
double simulated(std::size_t n, std::size_t aa, std::size_t rank, std::size_t margin) {
  return simulated_share(50'000, n, aa, [&](std::vector<double>& values, std::vector<double>& margins) {
    std::transform(margins.begin(), margins.end(), margins.begin(), [](double value) { return std::abs(value); });
    std::sort(values.begin(), values.end());
    std::sort(margins.rbegin(), margins.rend());
    return values[rank - 1] > margins[margin - 1];
  });
}

TEST(CalibratedRank, IsTheLargestThatKeepsItsError) {
  for (const double alpha : {0.05, 0.01, 0.002}) {
    for (const std::size_t margin : {2U, 4U}) {
      const std::size_t rank = calibrated_rank(6, 9, margin, alpha);
      EXPECT_LE(rank == 0 ? 0 : simulated(6, 9, rank, margin), alpha * 1.2);
      EXPECT_GT(simulated(6, 9, rank + 1, margin), alpha * 0.8);
    }
  }
}

TEST(CalibratedRank, DecidesEarlierThanTheSignTest) {
  EXPECT_EQ(sign_rank(7, 1e-4), 0U);
  EXPECT_GE(calibrated_rank(7, 6, 2, 1e-4), 1U);
  EXPECT_EQ(calibrated_rank(7, 1, 2, 0.5), 0U);  // the second largest of one
}

/// Returns the simulated probability that the rank-th smallest of all differences between n values and A/A differences is above 0 although
/// the median is 0.
double simulated_shift(std::size_t n, std::size_t aa, std::size_t rank) {
  return simulated_share(20'000, n, aa, [&](const std::vector<double>& values, const std::vector<double>& others) {
    return median_lower_bound(values, others, BoundRanks{0, rank, 0, 0}) > 0;
  });
}

TEST(ShiftRank, IsThatOfTheRankSumTest) {
  // Tables of Mann and Whitney (1947), 4 and 5 values: P(U <= 1) = 0.016, P(U <= 2) = 0.032
  EXPECT_EQ(shift_rank(4, 5, 0.0316), 2U);
  EXPECT_EQ(shift_rank(4, 5, 0.0318), 3U);
  EXPECT_EQ(shift_rank(1, 9, 0.1), 1U);  // one in ten values is below all nine others
  EXPECT_EQ(shift_rank(1, 9, 0.09), 0U);
  EXPECT_EQ(shift_rank(0, 9, 0.5), 0U);
}

TEST(ShiftRank, IsTheLargestThatKeepsItsError) {
  for (const double alpha : {0.05, 0.01}) {
    const std::size_t rank = shift_rank(6, 9, alpha);
    EXPECT_LE(simulated_shift(6, 9, rank), alpha * 1.2);
    EXPECT_GT(simulated_shift(6, 9, rank + 1), alpha * 0.8);
  }
}

TEST(ShiftRank, OfManyValuesKeepsItsErrorToo) {
  for (const double alpha : {0.05, 0.005}) {
    const std::size_t rank = shift_rank(20, 30, alpha);
    EXPECT_LE(simulated_shift(20, 30, rank), alpha * 1.2);
    EXPECT_GT(simulated_shift(20, 30, rank + 20), alpha);
  }
  EXPECT_EQ(shift_rank(11, 2, 1e-6), 0U);
}

TEST(ShiftRank, DecidesEarlierThanTheSignTest) {
  EXPECT_EQ(sign_rank(4, 1e-3), 0U);
  EXPECT_GE(shift_rank(4, 20, 1e-3), 4U);
  EXPECT_EQ(shift_rank(4, 0, 1e-3), 0U);
}

TEST(LeastAaPairs, AreEnough) {
  for (const std::size_t n : {3U, 5U}) {
    const std::size_t aa = min_aa_pairs(n, 2, 1e-4, 100);
    EXPECT_EQ(calibrated_rank(n, aa, 2, 1e-4), 1U);
    EXPECT_EQ(calibrated_rank(n, aa - 1, 2, 1e-4), 0U);
  }
  EXPECT_EQ(min_aa_pairs(2, 2, 1e-9, 100), 101U);
}

TEST(BoundRanks, LieFurtherInTheMoreAaPairsThereAre) {
  const BoundRanks few = bound_ranks(4, 10, 1e-3), more = bound_ranks(4, 14, 1e-3), many = bound_ranks(4, 80, 1e-3);
  EXPECT_EQ(few.sign, 0U);
  EXPECT_EQ(few.shift, 0U);
  EXPECT_GE(few.calibrated, 1U);
  EXPECT_GE(more.margin, few.margin);
  EXPECT_GT(many.shift, 4U);
  EXPECT_EQ(many.calibrated, 0U);
  EXPECT_FALSE(bound_ranks(2, 4, 1e-3).tells());
}

TEST(BoundRanks, ShareTheErrorOnlyWhereThereAreTwoBounds) {
  EXPECT_EQ(bound_ranks(20, 0, 0.05).sign, sign_rank(20, 0.05));
  EXPECT_EQ(bound_ranks(20, 20, 0.05).sign, sign_rank(20, 0.025));
}

TEST(MedianLowerBound, NeedsEnoughValues) {
  EXPECT_EQ(median_lower_bound({1, 2, 3}, {}, 0.01), -std::numeric_limits<double>::infinity());
  EXPECT_EQ(median_lower_bound({}, {}, 0.01), -std::numeric_limits<double>::infinity());
}

TEST(MedianLowerBound, TakesTheMarginFromTheAaDifferences) {
  const std::vector<double> aa = {0.01, -0.02, 5.0, 0.01, -0.01, 0.02};  // one of the pairs is disturbed
  EXPECT_DOUBLE_EQ(median_lower_bound({0.5, 0.7, 0.6, 0.9, 0.8, 0.5, 0.6}, aa, 1e-3), 0.5 - 0.02);
}

TEST(MedianLowerBound, IsADifferenceToAnAaDifference) {
  EXPECT_DOUBLE_EQ(median_lower_bound({0.5, 0.7, 0.6}, std::vector<double>{0.01, -0.02, 0.02}, BoundRanks{0, 2, 0, 0}), 0.5 - 0.01);
  EXPECT_DOUBLE_EQ(median_lower_bound({0.5, 0.7, 0.6}, std::vector<double>{0.01, -0.02, 0.02}, BoundRanks{2, 1, 0, 0}), 0.6);
}

TEST(MedianLowerBound, IsNotSilencedByADisturbedAaPair) {
  std::vector<double> aa(40, 0.01);
  aa[7] = 5;
  EXPECT_DOUBLE_EQ(median_lower_bound({0.5, 0.7, 0.6, 0.9, 0.8}, aa, 1e-3), 0.5 - 0.01);
}

TEST(MedianLowerBound, MissesTheMedianAsSeldomAsPromised) {
  std::mt19937_64 random(11);
  std::cauchy_distribution<double> cauchy;
  for (const std::size_t n : {8U, 25U}) {
    int missed = 0;
    constexpr int trials = 10'000;
    for (int trial = 0; trial < trials; ++trial) {
      std::vector<double> values(n), aa(6);
      std::generate(values.begin(), values.end(), [&] { return 3 + cauchy(random); });
      std::generate(aa.begin(), aa.end(), [&] { return cauchy(random); });
      missed += median_lower_bound(values, aa, 0.05) > 3 ? 1 : 0;
    }
    EXPECT_LE(missed, trials * 0.05);
  }
}

TEST(SignInterval, IsSymmetric) {
  const Interval interval = sign_interval({5, 1, 4, 2, 3, 6, 7}, 0.1);
  EXPECT_EQ(interval.low, 1);
  EXPECT_EQ(interval.high, 7);
  EXPECT_TRUE(std::isinf(sign_interval({1, 2}, 0.05).high));
}

/// Tests distributions with and without tails and with two modes.
TEST(SignInterval, HoldsTheMedianAsOftenAsItSays) {
  const std::array<double (*)(double), 3> quantiles = {[](double u) { return u; },
                                                       [](double u) { return std::tan(3.14159265358979 * (u - 0.5)) + 0.5; },
                                                       [](double u) { return u < 0.6 ? u : 10 + u; }};
  std::mt19937_64 random(5);
  std::uniform_real_distribution<double> uniform;
  for (const auto& quantile : quantiles) {
    const double middle = quantile(0.5);
    for (const std::size_t n : {8U, 25U, 100U}) {
      constexpr int trials = 2000;
      int missed = 0;
      for (int trial = 0; trial < trials; ++trial) {
        std::vector<double> values(n);
        std::generate(values.begin(), values.end(), [&] { return quantile(uniform(random)); });
        const Interval interval = sign_interval(values, 0.05);
        missed += middle < interval.low || middle > interval.high ? 1 : 0;
      }
      EXPECT_LE(missed, trials * 0.065) << n;
      EXPECT_GE(missed, trials * 0.003) << n << ": it isn't merely wide";
    }
  }
}

}  // namespace
}  // namespace flopcast::search
