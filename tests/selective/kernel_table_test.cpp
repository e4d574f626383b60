#include "flopcast/selective/kernel_table.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

namespace flopcast::selective {
namespace {

/// Computes the variance in two passes over the values.
double naive_variance(const std::vector<double>& values) {
  double mean = 0;
  for (const double value : values) {
    mean += value / static_cast<double>(values.size());
  }
  double squares = 0;
  for (const double value : values) {
    squares += (value - mean) * (value - mean);
  }
  return squares / static_cast<double>(values.size() - 1);
}

TEST(KernelStatistics, MergedStatisticsAreThoseOfAllValues) {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> uniform(1, 2);
  for (std::size_t split = 0; split <= 20; ++split) {
    std::vector<double> values;
    KernelStatistics first;
    KernelStatistics second;
    for (std::size_t i = 0; i < 20; ++i) {
      values.push_back(uniform(random));
      (i < split ? first : second).add(values.back());
    }
    first.merge(second);
    EXPECT_EQ(first.count, 20);
    EXPECT_NEAR(first.variance(), naive_variance(values), 1e-12);
  }
}

TEST(KernelStatistics, AllWithoutAPartIsTheRest) {
  std::mt19937 random(4);
  std::uniform_real_distribution<double> uniform(1, 2);
  for (std::size_t split = 0; split <= 20; ++split) {
    KernelStatistics first;
    KernelStatistics second;
    for (std::size_t i = 0; i < 20; ++i) {
      (i < split ? first : second).add(uniform(random));
    }
    KernelStatistics all = first;
    all.merge(second);
    const KernelStatistics rest = all.without(first);
    EXPECT_EQ(rest.count, second.count);
    EXPECT_NEAR(rest.mean, second.mean, 1e-12);
    EXPECT_NEAR(rest.variance(), second.variance(), 1e-12);
  }
}

TEST(KernelStatistics, OneValueHasNoVariance) {
  KernelStatistics statistics;
  statistics.add(3);
  EXPECT_EQ(statistics.variance(), 0);
  EXPECT_EQ(statistics.mean, 3);
}

TEST(KernelTable, NumbersKernelsInTheirOrderAndMergesByKey) {
  const KernelKey a{KernelKind::computation, 4, {100, 200}};
  KernelKey b = a;
  b.words[7] = 1;
  KernelTable table;
  EXPECT_EQ(table.number(a), 0U);
  EXPECT_EQ(table.number(b), 1U);
  EXPECT_EQ(table.number(a), 0U);
  KernelRecord other{b, {}, {}, {}, 2, 10};
  other.executed.add(5);
  table.merge(other);
  EXPECT_EQ(table[1].executed.count, 1);
  EXPECT_EQ(table[1].skipped, 2);
  EXPECT_EQ(table[0].executed.count, 0);
}

}  // namespace
}  // namespace flopcast::selective
