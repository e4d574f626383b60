#include "flopcast/tune/unconsidered.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <random>
#include <vector>

namespace flopcast::tuning {
namespace {

TEST(GuessedTimes, InterpolateTheLogarithm) {
  const std::array known = {KnownTime{4, 1.0}, KnownTime{6, 4.0}};
  EXPECT_DOUBLE_EQ(guess_time(known, 5).seconds, 2);
  EXPECT_DOUBLE_EQ(guess_time(known, 4).seconds, 1);
  EXPECT_EQ(guess_time(known, 4).deviation, 0);
  EXPECT_EQ(guess_time(known, 6).deviation, 0);
  EXPECT_GT(guess_time(known, 5).deviation, guess_time(known, 4.5).deviation);
}

TEST(GuessedTimes, GrowUncertainBeyondWhatIsKnown) {
  const std::array one = {KnownTime{5, 2.0}};
  EXPECT_EQ(guess_time(one, 8).seconds, 2);
  EXPECT_DOUBLE_EQ(guess_time(one, 8).deviation, 0.2 * std::sqrt(3.0)) << "the prior";
  EXPECT_EQ(guess_time(one, 3).seconds, 2);
  const std::array level = {KnownTime{4, 2.0}, KnownTime{5, 2.0}, KnownTime{6, 2.0}};
  EXPECT_LT(guess_time(level, 7).deviation, guess_time(one, 6).deviation);
}

TEST(GuessedTimes, AreAsUncertainAsTheKnownTimesAreUneven) {
  const auto at = [](double middle) {
    const std::array known = {KnownTime{4, 1.0}, KnownTime{5, middle}, KnownTime{6, 1.0}, KnownTime{8, 1.0}};
    return guess_time(known, 7).deviation;
  };
  EXPECT_LT(at(1), 0.05);
  EXPECT_GT(at(1.5), 2 * at(1));
}

/// Some points of random walks over octaves are known. Nine tenths of the others lie within 1.645 deviations, or somewhat fewer, because few
/// differences show how uneven a walk is.
TEST(GuessedTimes, HaveTheDeviationOfRandomWalks) {
  std::mt19937_64 random(3);
  std::normal_distribution<double> normal;
  double within = 0, count = 0;
  for (int walk = 0; walk < 400; ++walk) {
    std::vector<KnownTime> all = {{3, 1}};
    for (int i = 1; i <= 20; ++i) {
      all.push_back({3 + i / 4.0, all.back().seconds * std::exp(0.1 * normal(random))});
    }
    std::vector<KnownTime> known;
    for (std::size_t i = 0; i < all.size(); i += 4) {
      known.push_back(all[i]);
    }
    for (const KnownTime& one : all) {
      if (const GuessedTime guess = guess_time(known, one.octave); guess.deviation > 0) {
        within += std::fabs(std::log(one.seconds / guess.seconds)) < 1.645 * guess.deviation ? 1 : 0;
        count += 1;
      }
    }
  }
  EXPECT_GE(within / count, 0.75);
  EXPECT_LE(within / count, 0.95);
}

}  // namespace
}  // namespace flopcast::tuning
