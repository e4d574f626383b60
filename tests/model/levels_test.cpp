#include "flopcast/model/levels.hpp"
#include "flopcast/model/model_json.hpp"

#include <gmock/gmock.h>

#include <cmath>

#include "flopcast/core/kernel_model.hpp"
#include "flopcast/support/error.hpp"

namespace flopcast::model {
namespace {

constexpr std::int64_t l1 = 32 << 10;
constexpr std::int64_t l2 = 6 << 20;

/// Returns the bytes of ger with m = n, or with m and n.
double ger_bytes(std::span<const std::int64_t> sizes) {
  const auto m = static_cast<double>(sizes[0]);
  const auto n = static_cast<double>(sizes.size() > 1 ? sizes[1] : sizes[0]);
  return 8 * (m * n + m + n);
}

/// Returns times that follow one parabola per memory level.
Seconds ger_time(const Sizes& sizes) {
  const double bytes = ger_bytes(sizes);
  const auto n = static_cast<double>(sizes[0]);
  const double slow = bytes < l1 ? 1 : bytes < l2 ? 2 : 5;
  return 100e-9 + 1e-9 * n + slow * bytes * 3e-11;
}

SampleSource source_of(const std::function<Seconds(const Sizes&)>& time) {
  return [time](std::span<const Sizes> points) -> std::optional<MeasuredBatch> {
    MeasuredBatch measured;
    for (const Sizes& point : points) {
      measured.seconds.push_back(time(point));
    }
    return measured;
  };
}

const std::vector<std::int64_t> capacities = {l1, l2};

TEST(Levels, LieBetweenTheCapacities) {
  const std::vector<MemoryLevel> levels = memory_levels({{8}, {2000}}, ger_bytes, capacities, total_basis(1, 2), {});
  ASSERT_EQ(levels.size(), 3U);
  EXPECT_EQ(levels[0].bytes_high, l1);
  EXPECT_EQ(levels[1].bytes_high, l2);
  EXPECT_TRUE(std::isinf(levels[2].bytes_high));
  for (const MemoryLevel& level : levels) {
    EXPECT_EQ(level.points.size(), 6U);
    for (const Sizes& point : level.points) {
      EXPECT_GE(ger_bytes(point), level.bytes_low);
      EXPECT_LT(ger_bytes(point), level.bytes_high);
      EXPECT_EQ(point[0] % 8, 0);
    }
  }
}

TEST(Levels, PointsSpanTheirLevel) {
  const std::vector<MemoryLevel> levels = memory_levels({{8}, {880}}, ger_bytes, capacities, total_basis(1, 2), {});
  std::vector<std::int64_t> second;
  for (const Sizes& point : levels[1].points) {
    second.push_back(point[0]);
  }
  std::sort(second.begin(), second.end());
  EXPECT_LE(second.front(), 80);
  EXPECT_GE(second.back(), 870);
  EXPECT_EQ(std::adjacent_find(second.begin(), second.end()), second.end());
}

TEST(Levels, ModelIsExactForOnePolynomialPerLevel) {
  const Model result = model_by_levels({}, {"n"}, {{8}, {2000}}, ger_bytes, capacities, total_basis(1, 2), {}, source_of(ger_time));
  EXPECT_TRUE(result.options.complete);
  EXPECT_EQ(result.cost.samples, 18);
  for (std::int64_t n = 8; n <= 2000; ++n) {
    const Seconds expected = ger_time({n});
    ASSERT_NEAR(evaluate(result, Sizes{n}).seconds, expected, 1e-8 * expected) << n;
  }
}

TEST(Levels, InTwoSizesBoundariesFollowTheFootprint) {
  const std::vector<Monomial> basis = {Monomial{}, Monomial{1, 0}, Monomial{0, 1}, Monomial{1, 1}};
  const Model result = model_by_levels({}, {"m", "n"}, {{8, 8}, {2000, 2000}}, ger_bytes, capacities, basis, {}, source_of(ger_time));
  for (const Sizes& sizes :
       {Sizes{8, 8}, Sizes{8, 400}, Sizes{400, 8}, Sizes{8, 500}, Sizes{700, 1000}, Sizes{1000, 900}, Sizes{2000, 2000}}) {
    const Seconds expected = ger_time(sizes);
    EXPECT_NEAR(evaluate(result, sizes).seconds, expected, 1e-7 * expected) << sizes[0] << " x " << sizes[1];
  }
  EXPECT_EQ(nlohmann::json::parse(nlohmann::json(result).dump()).get<Model>(), result);
}

TEST(Levels, LevelsOutsideOfTheDomainAreLeftOut) {
  const std::vector<MemoryLevel> levels = memory_levels({{200}, {400}}, ger_bytes, capacities, total_basis(1, 2), {});
  ASSERT_EQ(levels.size(), 1U);
  EXPECT_EQ(levels[0].bytes_low, 0);
  EXPECT_TRUE(std::isinf(levels[0].bytes_high));
}

TEST(Levels, AnInterruptionGivesNoModel) {
  const SampleSource none = [](std::span<const Sizes>) -> std::optional<MeasuredBatch> { return std::nullopt; };
  const Model result = model_by_levels({}, {"n"}, {{8}, {2000}}, ger_bytes, capacities, total_basis(1, 2), {}, none);
  EXPECT_FALSE(result.options.complete);
  EXPECT_TRUE(result.pieces.empty());
}

TEST(Levels, OptionsAreChecked) {
  EXPECT_THROW(memory_levels({{8}, {9}}, ger_bytes, capacities, total_basis(1, 2), {0, 8}), Error);
  EXPECT_THROW(memory_levels({{8}, {9}}, ger_bytes, capacities, total_basis(1, 2), {6, 0}), Error);
  BuildOptions written;
  written.levels = LevelsOptions{5, 4};
  BuildOptions read;
  read_options(options_json(written), "levels", read);
  EXPECT_EQ(read, written);
}

}  // namespace
}  // namespace flopcast::model
