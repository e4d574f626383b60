#include "flopcast/search/ledger.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <vector>

namespace flopcast::search {
namespace {

/// Returns a ledger with as many rounds as each candidate has costs.
template <std::size_t rounds>
Ledger ledger_of(const std::vector<std::array<Seconds, rounds>>& costs) {
  Ledger ledger(all(costs.size()), 1);
  Meter meter({});
  for (std::size_t round = 0; round < rounds; ++round) {
    ledger.round([&](std::size_t candidate) { return costs[candidate][round]; }, meter);
  }
  return ledger;
}

TEST(LikelyBest, IsTheReferenceUnlessAnotherCostsLess) {
  const Ledger ledger = ledger_of<3>({{1, 1, 1}, {1.1, 1.1, 1.1}, {1, 1, 1}});
  EXPECT_EQ(likely_best(ledger, all(3), all(3), 0), 0U);
  EXPECT_EQ(likely_best(ledger, all(3), all(3), 1), 0U);
  EXPECT_EQ(likely_best(ledger, all(3), all(3), 2), 2U);
}

TEST(LikelyBest, GoesByTheLeastCostOfFewRounds) {
  const Ledger ledger = ledger_of<4>({{1, 1, 1, 1}, {1.5, 0.9, 1.5, 1.5}});
  EXPECT_EQ(likely_best(ledger, all(2), all(2), 0), 1U);
}

TEST(LikelyBest, IsNotMisledByOneLuckyRoundOfMany) {
  const Ledger ledger = ledger_of<8>({{1, 1, 1, 1, 1, 1, 1, 1}, {1.1, 0.9, 1.1, 1.1, 1.1, 1.1, 1.1, 1.1}});
  EXPECT_EQ(likely_best(ledger, all(2), all(2), 0), 0U);
}

TEST(LikelyBest, TakesTheRoundsThatBothWereIn) {
  const double rested = std::nan("");  // drops the candidate; its earlier costs stay
  const Ledger ledger = ledger_of<4>({{2, 2, 1, 1}, {1.5, 1.5, rested, rested}});
  EXPECT_EQ(likely_best(ledger, all(2), all(2), 0), 1U);
}

}  // namespace
}  // namespace flopcast::search
