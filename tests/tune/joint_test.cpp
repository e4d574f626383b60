#include "flopcast/tune/decision.hpp"

#include <gmock/gmock.h>

namespace flopcast::tuning {
namespace {

/// Returns a decision with one variant that takes `seconds` +- `half`.
Decision decision(const std::string& variant, Seconds seconds, Seconds half) {
  VariantRank own;
  own.best = {variant, {32, 2, 0}, seconds, {seconds - half, seconds + half}, 0};
  Decision result;
  result.ranking = {own};
  result.chosen = own.best;
  return result;
}

TEST(Joint, PutsTheFastestPlaceFirst) {
  const std::vector<Decision> places = {decision("2", 1.5, 0.01), decision("3", 1.0, 0.01)};
  const JointDecision joint = join(places);
  ASSERT_EQ(joint.ranking.size(), 2U);
  EXPECT_EQ(joint.ranking[0].place, 1U);
  EXPECT_EQ(joint.ranking[0].best.variant, "3");
  EXPECT_DOUBLE_EQ(joint.ranking[1].behind, 0.5);
  EXPECT_FALSE(joint.ranking[1].tied);
  EXPECT_EQ(joint.regret, 0);
}

TEST(Joint, TiesWhereTheIntervalsAllowEitherOrder) {
  const std::vector<Decision> places = {decision("2", 1.02, 0.05), decision("2", 1.0, 0.05)};
  const JointDecision joint = join(places);
  EXPECT_FALSE(joint.ranking[0].tied) << "with itself";
  EXPECT_TRUE(joint.ranking[1].tied);
  EXPECT_GT(joint.regret, 0.01);
  EXPECT_LT(joint.regret, 0.07);
}

TEST(Joint, CountsCandidatesOfOtherPlacesThatWerentConsidered) {
  std::vector<Decision> places = {decision("2", 1.5, 0.01), decision("2", 1.0, 0.01)};
  places[0].regret = 0.8;
  EXPECT_EQ(join(places).regret, 0) << "the first place is slower by far, and all of it is known";
  places[0].candidates = 24;
  places[0].considered = 1;
  EXPECT_NEAR(join(places).regret, 1.8 / 1.5 - 1, 0.02);
}

}  // namespace
}  // namespace flopcast::tuning
