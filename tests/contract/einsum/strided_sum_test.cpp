#include "flopcast/contract/einsum/strided_sum.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

#include "flopcast/support/error.hpp"

/// Sums that can be computed in one's head; one_operand_test.cpp compares thousands of others with nested loops.
namespace flopcast::contract {
namespace {

std::vector<double> counted(std::int64_t count) {
  std::vector<double> numbers(static_cast<std::size_t>(count));
  std::iota(numbers.begin(), numbers.end(), 1.0);
  return numbers;
}

TEST(StridedSum, SumsRows) {
  const std::vector<double> a = counted(6);  // 2 x 3, row by row: 1 2 3, 4 5 6
  std::vector<double> c = {100, 200};
  const StridedSum sum(SumProblem{.dimensions = {{2, {3, 0, 1}}, {3, {1, 0, 0}, true}}});
  EXPECT_EQ(sum.terms(), 6);
  EXPECT_EQ(sum.moved_bytes(), (6 + 2 * 2) * 8.0);
  sum.run(a.data(), nullptr, c.data(), 2.0, 1.0);
  EXPECT_EQ(c, (std::vector<double>{100 + 2 * 6, 200 + 2 * 15}));
}

TEST(StridedSum, MultipliesElementsWhereBIsReadBackwards) {
  const std::vector<double> a = counted(4), b = counted(4);
  std::vector<double> c(4, -1.0);
  const StridedSum sum(SumProblem{.dimensions = {{4, {1, -1, 1}}}, .has_b = true});
  sum.run(a.data(), b.data() + 3, c.data(), 1.0, 0.0);
  EXPECT_EQ(c, (std::vector<double>{1 * 4, 2 * 3, 3 * 2, 4 * 1}));
}

TEST(StridedSum, TransposesBackwards) {
  const std::vector<double> a = counted(6);  // 2 x 3, row by row
  std::vector<double> c(6);
  const StridedSum sum(SumProblem{.dimensions = {{2, {3, 0, -1}}, {3, {1, 0, 2}}}});
  sum.run(a.data(), nullptr, c.data() + 1, 1.0, 0.0);
  EXPECT_EQ(c, (std::vector<double>{4, 1, 5, 2, 6, 3}));
}

TEST(StridedSum, ThreadsShareALongSumOfOneElement) {
  const std::vector<double> a(1 << 20, 0.5);
  double c = 7;
  const StridedSum sum(SumProblem{.dimensions = {{1 << 20, {1, 0, 0}, true}}}, 4);
  EXPECT_EQ(sum.threads(), 4);
  sum.run(a.data(), nullptr, &c, 1.0, 0.0);
  EXPECT_EQ(c, 1 << 19);
}

TEST(StridedSum, AnEmptySumIsZero) {
  std::vector<double> c = {3, 4};
  const StridedSum sum(SumProblem{.dimensions = {{2, {1, 0, 1}}, {0, {1, 0, 0}, true}}});
  EXPECT_EQ(sum.terms(), 0);
  const double nothing = 0;
  sum.run(&nothing, nullptr, c.data(), 1.0, 2.0);
  EXPECT_EQ(c, (std::vector<double>{6, 8}));
  sum.clear(c.data());
  EXPECT_EQ(c, (std::vector<double>{0, 0}));
}

TEST(StridedSum, RefusesNegativeSizesAndTooManyDimensions) {
  EXPECT_THROW(StridedSum(SumProblem{.dimensions = {{-1, {1, 0, 1}}}}), Error);
  SumProblem problem;
  for (std::int64_t i = 0; i < 64; ++i) {
    problem.dimensions.push_back({2, {i % 2 + 1, 0, 2 * i + 1}});
  }
  EXPECT_THROW(StridedSum{problem}, Error);
}

}  // namespace
}  // namespace flopcast::contract
