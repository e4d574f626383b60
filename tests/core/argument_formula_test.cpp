#include "flopcast/core/routine.hpp"

#include <gtest/gtest.h>

#include <array>

#include "flopcast/support/error.hpp"

namespace flopcast {
namespace {

constexpr std::array<std::string_view, 4> names = {"side", "m", "n", "k"};

double evaluate(std::string_view text, char side, std::int64_t m, std::int64_t n, std::int64_t k) {
  const std::array<std::int64_t, 4> values = {side, m, n, k};
  return ArgumentFormula(text, names).value(values);
}

TEST(ArgumentFormula, FollowsPrecedence) {
  EXPECT_EQ(evaluate("2*m*n + k", 'L', 3, 4, 5), 29);
  EXPECT_EQ(evaluate("m - n - k", 'L', 10, 4, 5), 1);
  EXPECT_EQ(evaluate("m*(n+1)/2", 'L', 3, 4, 0), 7.5);
  EXPECT_EQ(evaluate("-m + n", 'L', 3, 4, 0), 1);
}

TEST(ArgumentFormula, ChoosesByFlagWhateverItsCase) {
  EXPECT_EQ(evaluate("side=L ? m : n", 'L', 3, 4, 0), 3);
  EXPECT_EQ(evaluate("side=L ? m : n", 'r', 3, 4, 0), 4);
  EXPECT_EQ(evaluate("2*(side=LR ? m*k : n) + 1", 'R', 3, 4, 5), 31);
}

TEST(ArgumentFormula, KnowsMinimumAndMaximum) { EXPECT_EQ(evaluate("min(m,n)+max(m+1,k)", 'L', 3, 4, 5), 8); }

TEST(ArgumentFormula, KnowsRemainders) {
  EXPECT_EQ(evaluate("m % n", 'L', 11, 4, 0), 3);
  EXPECT_EQ(evaluate("m + 2*n % k", 'L', 3, 4, 5), 6) << "as * and /, from left to right";
}

TEST(ArgumentFormula, RefusesSyntaxErrors) {
  EXPECT_THROW(ArgumentFormula("2*q", names), Error);
  EXPECT_THROW(ArgumentFormula("2*(m", names), Error);
  EXPECT_THROW(ArgumentFormula("m n", names), Error);
}

}  // namespace
}  // namespace flopcast
