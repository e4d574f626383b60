#include "flopcast/tasks/tuning/ranking.hpp"

#include <gmock/gmock.h>

#include "flopcast/support/error.hpp"
#include "tests/tasks/tuning/synthetic_place.hpp"

namespace flopcast {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::SyntheticMachine;

RankRequest request() {
  RankRequest request;
  request.family = "trtri";
  request.n = {300};
  request.nb = {16, 32, 64, 96};
  request.library = LibraryRow::none;
  return request;
}

PlaceRanking rank_on(SyntheticMachine& machine, RankRequest request, const std::string& family = "trtri") {
  request.family = family;
  TuningSession session(machine.place(), {}, machine.context());
  const RankedCalls ranked = ranked_calls(request);
  return PlaceRanker(session, ranked, request, machine.context()).decide(request.time_budget);
}

Seconds best_time(const SyntheticMachine& machine, const Call& call, const std::string& variant, const std::vector<std::int64_t>& blocks) {
  Seconds best = INFINITY;
  for (const std::int64_t nb : blocks) {
    best = std::min(best, machine.truth(algorithm::record(call, {nb, 2, 0}, variant)));
  }
  return best;
}

TEST(Ranking, OrdersVariantsByTheirTrueTimes) {
  SyntheticMachine machine;
  const RankedCalls ranked = ranked_calls(request());

  const PlaceRanking ranking = rank_on(machine, request());

  ASSERT_EQ(ranking.decisions.size(), 1U);
  const std::vector<tuning::VariantRank>& variants = ranking.decisions[0].ranking;
  ASSERT_EQ(variants.size(), ranked.family.variants.size());
  for (std::size_t i = 1; i < variants.size(); ++i) {
    EXPECT_LT(best_time(machine, ranked.calls[0], variants[i - 1].best.variant, ranked.blocks),
              1.03 * best_time(machine, ranked.calls[0], variants[i].best.variant, ranked.blocks));
  }
}

TEST(Ranking, TheLibrarysRoutineTakesPartWithItsDefault) {
  SyntheticMachine machine;
  RankRequest with_library = request();
  with_library.library = LibraryRow::default_blocks;

  const tuning::Decision decision = rank_on(machine, with_library).decisions.at(0);

  EXPECT_GT(decision.default_.seconds, 0);
  EXPECT_EQ(decision.default_.variant, "");
  EXPECT_EQ(decision.default_.blocks, machine.defaults);
  EXPECT_DOUBLE_EQ(decision.gain, decision.default_.seconds / decision.chosen.seconds - 1);
}

TEST(Ranking, ComparesTheNamedVariantsOnly) {
  SyntheticMachine machine;
  RankRequest two = request();
  two.variants = {{"1", "3"}};
  EXPECT_EQ(rank_on(machine, two, "cholesky").decisions.at(0).ranking.size(), 2U);
}

TEST(Ranking, RefusesUnknownVariantsAndFamilies) {
  RankRequest wrong = request();
  wrong.family = "cholesky";
  wrong.variants = {{"4"}};
  try {
    ranked_calls(wrong);
    FAIL() << "nothing thrown";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("cholesky has no variant '4', only 1, 2, 3, recursive"));
  }
  wrong.family = "cholesy";
  EXPECT_THROW(ranked_calls(wrong), Error);
}

TEST(Ranking, TheFasterPlaceWinsTheJointDecision) {
  SyntheticMachine slow, fast;
  fast.speed = 2;
  const std::vector<PlaceRanking> places = {rank_on(slow, request()), rank_on(fast, request())};

  const std::vector<tuning::JointDecision> joint = joint_decisions(places);

  ASSERT_EQ(joint.size(), 1U);
  EXPECT_EQ(joint[0].sizes, (std::vector<std::int64_t>{300}));
  EXPECT_EQ(joint[0].ranking.front().place, 1U);
  EXPECT_NEAR(places[0].decisions[0].chosen.seconds / places[1].decisions[0].chosen.seconds, 2, 0.2);
}

TEST(Ranking, IsUndecidedOnANoisyMachine) {
  SyntheticMachine quiet, noisy;
  noisy.state = {490000, 1e-3, 0.5, 0.5};
  EXPECT_FALSE(tuning::is_undecided(rank_on(quiet, request()).decisions.at(0)));
  EXPECT_THAT(quiet.noisy, IsEmpty());
  EXPECT_TRUE(tuning::is_undecided(rank_on(noisy, request()).decisions.at(0)));
  EXPECT_THAT(noisy.noisy, ElementsAre(HasSubstr("the machine was noisy: the times of equal work differed by up to 98 %")));
  EXPECT_THAT(noisy.notes, Contains(HasSubstr("the ranking is undecided for 1 of 1 size")));
}

TEST(Ranking, ItsBudgetEndsSampling) {
  SyntheticMachine machine;
  RankRequest short_of_time = request();
  short_of_time.n = {300, 900, 1500};
  short_of_time.time_budget = 1e-3;
  const PlaceRanking ranking = rank_on(machine, short_of_time);
  EXPECT_FALSE(ranking.complete);
  EXPECT_EQ(ranking.decisions.size(), 3U) << "what is known by then decides";
}

TEST(Places, AreAllPairsOfLibrariesAndThreads) {
  const std::vector<machine::LibraryChoice> all = places({"a", "b"}, {1}, {.lapack = "reference"});
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[1].blas, "b");
  EXPECT_EQ(all[1].lapack, "reference");
  EXPECT_EQ(all[1].threads, 1);
}

}  // namespace
}  // namespace flopcast
