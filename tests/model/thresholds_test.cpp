#include "flopcast/model/thresholds.hpp"

#include <gmock/gmock.h>

#include <random>
#include <set>

#include "flopcast/model/model_json.hpp"
#include "flopcast/model/refinement.hpp"

namespace flopcast::model {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

/// Returns the probe of a library that uses two threads from an amount of work on.
TeamProbe team_from(double work, int* probes = nullptr) {
  return [work, probes](const Sizes& sizes) -> std::optional<double> {
    if (probes != nullptr) {
      ++*probes;
    }
    return product_of_sizes(sizes) < work ? 1.02 : 1.9;
  };
}

TEST(Thresholds, AreFoundByBisection) {
  const Box domain{{8, 8, 8}, {1024, 1024, 1024}};
  int probes = 0;
  const auto found = find_thresholds(domain, 8, team_from(65536 * 4, &probes));
  ASSERT_TRUE(found);
  ASSERT_EQ(found->size(), 1U);
  EXPECT_NEAR(std::cbrt(found->front()), 64, 8) << "the side of the cube";
  EXPECT_LT(probes, 20);
}

TEST(Thresholds, AreNoneIfTheTeamIsConstant) {
  EXPECT_THAT(*find_thresholds({{8}, {1024}}, 8, team_from(1e9)), IsEmpty());
  EXPECT_THAT(*find_thresholds({{8}, {1024}}, 8, team_from(0)), IsEmpty());
  EXPECT_THAT(*find_thresholds({{64, 64}, {64, 64}}, 8, team_from(5000)), IsEmpty()) << "a domain of a single point";
}

TEST(Thresholds, AWrongProbeIsOutvoted) {
  for (int wrong = 0; wrong < 9; ++wrong) {
    int probe = 0;
    const auto found = find_thresholds({{1}, {100000}}, 1, [&](const Sizes& sizes) -> std::optional<double> {
      const bool several = sizes[0] > 4000;
      return (probe++ == wrong) != several ? 1.8 : 1.0;
    });
    ASSERT_EQ(found->size(), 1U) << wrong;
    const bool beside = wrong >= 5 && wrong <= 7;  // the threshold then seems to be a step away
    EXPECT_NEAR(found->front(), 4000, beside ? 25000 : 1) << wrong;
  }
}

TEST(Thresholds, TheFirstOfSeveralCounts) {
  const auto found = find_thresholds({{1}, {100000}}, 1, [](const Sizes& sizes) -> std::optional<double> {
    return sizes[0] < 300 ? 1 : sizes[0] < 20000 ? 2 : 4;
  });
  EXPECT_THAT(*found, ElementsAre(testing::DoubleNear(299.5, 1)));
}

TEST(Thresholds, AreNotKnownIfInterrupted) {
  int left = 11;
  EXPECT_FALSE(find_thresholds({{8}, {1024}}, 1, [&](const Sizes& sizes) -> std::optional<double> {
    return left-- > 0 ? std::optional(sizes[0] < 300 ? 1.0 : 2.0) : std::nullopt;
  }));
}

TEST(Sides, DivideTheSizes) {
  EXPECT_THAT(sides({}), ElementsAre(Side{}));
  const std::vector<double> thresholds = {100, 1000};
  const std::vector<Side> all = sides(thresholds);
  ASSERT_EQ(all.size(), 3U);
  EXPECT_TRUE(all[0].contains(Sizes{9, 11}) && !all[0].contains(Sizes{10, 10}) && all[1].contains(Sizes{10, 10}) &&
              all[2].contains(Sizes{100, 10}));
  EXPECT_TRUE(all[0].meets({{5, 5}, {20, 20}}) && all[1].meets({{5, 5}, {20, 20}}));
  EXPECT_FALSE(all[2].meets({{5, 5}, {20, 20}}));
  EXPECT_FALSE(all[0].meets({{10, 10}, {20, 20}}));
}

TEST(Sides, TakePointsOfOtherSidesOnlyIfNeeded) {
  const std::vector<double> thresholds = {1000};
  const Side little = sides(thresholds)[0], much = sides(thresholds)[1];
  const Box box{{8, 8}, {64, 64}};
  EXPECT_EQ(moved_to(little, box, {16, 24}, 8), Sizes({16, 24})) << "the point is on this side already";
  EXPECT_EQ(moved_to(little, box, {64, 64}, 8), Sizes({24, 24})) << "24 x 24 < 1000 <= 32 x 32";
  EXPECT_EQ(moved_to(much, box, {8, 8}, 8), Sizes({32, 32}));
  EXPECT_FALSE(moved_to(little, {{40, 40}, {64, 64}}, {64, 64}, 8));
}

TEST(Sides, MovedPointsLieInBoxAndSide) {
  std::mt19937 random(1);
  const auto between = [&](std::int64_t low, std::int64_t high) { return std::uniform_int_distribution<std::int64_t>(low, high)(random); };
  for (int trial = 0; trial < 500; ++trial) {
    Box box;
    Sizes point;
    for (int d = 0; d < 3; ++d) {
      box.low.push_back(between(1, 100));
      box.high.push_back(box.low.back() + between(0, 200));
      point.push_back(between(box.low.back(), box.high.back()));
    }
    const double threshold = product_of_sizes({std::vector<std::int64_t>{between(1, 200), between(1, 200), between(1, 200)}});
    for (const Side& side : sides(std::vector<double>{threshold})) {
      const std::optional<Sizes> moved = moved_to(side, box, point, 8);
      ASSERT_EQ(moved.has_value(), side.meets(box));
      ASSERT_TRUE(!moved || (box.contains(*moved) && side.contains(*moved)));
    }
  }
}

Seconds smooth(const Sizes& sizes) { return 1e-6 + 1e-9 * product_of_sizes(sizes); }

/// Times that are half as long from the threshold on, plus the cost of starting threads.
constexpr double threshold = 262144;
Seconds jumping(const Sizes& sizes) { return product_of_sizes(sizes) < threshold ? smooth(sizes) : 0.5 * smooth(sizes) + 2e-5; }

struct Build {
  Model refinement;
  std::set<Sizes> sampled;
};
Build build(std::span<const double> thresholds) {
  Build built;
  const SampleSource source = [&](std::span<const Sizes> points) -> std::optional<MeasuredBatch> {
    MeasuredBatch measured;
    for (const Sizes& point : points) {
      built.sampled.insert(point);
      measured.seconds.push_back(jumping(point));
    }
    return measured;
  };
  ModelKey key;
  key.routine = "dgemm";
  built.refinement = refine(key, {"m", "n", "k"}, {{{8, 8, 8}, {512, 512, 512}}}, total_basis(3, 3), {}, source, {}, thresholds);
  return built;
}

TEST(Refinement, WithThresholdsAJumpNeedsTwoPieces) {
  const auto found = find_thresholds({{8, 8, 8}, {512, 512, 512}}, 1, team_from(threshold));
  ASSERT_EQ(found->size(), 1U);
  const Build plain = build({}), with = build(std::vector<double>{threshold});
  EXPECT_EQ(with.refinement.pieces.size(), 2U);
  EXPECT_GT(plain.refinement.pieces.size(), 20U) << "without thresholds many pieces are needed";
  EXPECT_LT(10 * with.sampled.size(), plain.sampled.size());
  for (const Sizes& sizes :
       {Sizes{40, 32, 32}, Sizes{64, 64, 63}, Sizes{64, 64, 64}, Sizes{500, 20, 20}, Sizes{512, 8, 64}, Sizes{300, 200, 100}}) {
    EXPECT_NEAR(evaluate(with.refinement, sizes).seconds, jumping(sizes), 0.01 * jumping(sizes))
        << sizes[0] << " " << sizes[1] << " " << sizes[2];
  }
}

TEST(Refinement, EveryPointOfTheDomainHasAPieceOfItsSide) {
  const Build built = build(std::vector<double>{5000, 262144, 300000});
  std::mt19937 random(2);
  std::uniform_int_distribution<std::int64_t> size(8, 512);
  for (int i = 0; i < 2000; ++i) {
    EXPECT_NO_THROW(evaluate(built.refinement, Sizes{size(random), size(random), size(random)}));
  }
}

TEST(Refinement, ModelsWithThresholdsAreStoredAndRead) {
  const Model model = build(std::vector<double>{threshold}).refinement;
  EXPECT_EQ(nlohmann::json::parse(nlohmann::json(model).dump()).get<Model>(), model);
}

}  // namespace
}  // namespace flopcast::model
