#include "flopcast/search/ledger.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace flopcast::search {
namespace {

using testing::IsEmpty;

/// Returns a ledger of `rounds` rounds of nine candidates on a machine that becomes slower by half from round to round. The last candidate
/// costs an additional factor of two in every other round.
Ledger slowing_down(int rounds) {
  Ledger ledger(all(9), 1);
  Meter meter({});
  for (int round = 0; round < rounds; ++round) {
    const double pace = std::pow(1.5, round);
    ledger.round([&](std::size_t i) { return pace * static_cast<double>(i + 1) * (i == 8 && round % 2 == 1 ? 2 : 1); }, meter);
  }
  return ledger;
}

TEST(DifferencesBetweenRounds, ExcludeChangesOfTheSpeedOfTheMachine) {
  const std::vector<double> differences = slowing_down(2).aa_between_rounds(all(9));
  ASSERT_EQ(differences.size(), 9U);
  for (std::size_t i = 0; i < 8; ++i) {
    EXPECT_NEAR(differences[i], 0, 1e-12);
  }
  EXPECT_NEAR(differences[8], std::log(2.0), 1e-12);
}

TEST(DifferencesBetweenRounds, AreThoseOfAllPairsOfSuccessiveRounds) {
  EXPECT_THAT(slowing_down(1).aa_between_rounds(all(9)), IsEmpty());
  EXPECT_EQ(slowing_down(4).aa_between_rounds(all(9)).size(), 27U);
}

TEST(DifferencesBetweenRounds, NeedEnoughCandidatesToKnowThatSpeed) {
  const Ledger ledger = slowing_down(3);
  EXPECT_EQ(ledger.aa_between_rounds({0, 1, 2, 3, 4, 5, 6, 8}).size(), 16U);
  EXPECT_THAT(ledger.aa_between_rounds({0, 1, 2, 3, 4, 5, 8}), IsEmpty());
}

TEST(DifferencesBetweenRounds, AreOnlyOfRoundsThatACandidateWasIn) {
  Ledger ledger(all(9), 1);
  Meter meter({});
  const Evaluator exact = [](std::size_t i) { return 1.0 + static_cast<double>(i); };
  for (const bool is_active : {true, false, true, true}) {
    ledger.set_active(0, is_active);
    ledger.round(exact, meter);
  }
  EXPECT_EQ(ledger.aa_between_rounds(all(9)).size(), 8U + 8U + 9U);
}

}  // namespace
}  // namespace flopcast::search
