#include "flopcast/selective/size_model.hpp"

#include <gtest/gtest.h>

namespace flopcast::selective {
namespace {

StudentQuantiles& quantiles() {
  static StudentQuantiles all(0.95);
  return all;
}

KernelKey product(std::int64_t m, std::int64_t n, std::int64_t k) { return {KernelKind::computation, 3, {m, n, k}}; }
double flops_of(const KernelKey& key) { return 2.0 * static_cast<double>(key.words[0] * key.words[1] * key.words[2]); }

SizeModel::FittedPoint point(const KernelKey& key, Seconds seconds) { return {size_terms(key, flops_of(key)), seconds}; }

TEST(SizeModel, TermsOfAProduct) {
  EXPECT_EQ(size_terms(product(2, 3, 5), 60), (SizeTerms{1, 10, 31, 60}));
  EXPECT_EQ(size_terms({KernelKind::communication, 0, {800, 4, 1}}, 0), (SizeTerms{1, 0, 0, 800}));
  EXPECT_EQ(size_terms({KernelKind::region, 0, {4}}, 0), (SizeTerms{1, 4, 16, 4}));
}

TEST(SizeModel, FindsTheCoefficientsOfTimes) {
  std::vector<SizeModel::FittedPoint> points;
  for (const std::int64_t m : {50, 100, 200, 300}) {
    for (const std::int64_t k : {16, 64}) {
      const KernelKey key = product(m, m, k);
      points.push_back(point(key, 1e-6 + 2e-11 * flops_of(key)));
    }
  }
  const SizeModel model(points);
  const KernelKey unseen = product(150, 150, 32);
  const std::optional<SizePrediction> found = model.predict(size_terms(unseen, flops_of(unseen)), quantiles());
  ASSERT_TRUE(found);
  EXPECT_NEAR(found->mean, 1e-6 + 2e-11 * flops_of(unseen), 1e-10);
  EXPECT_LT(found->half_width, 1e-8);
}

TEST(SizeModel, NoiseWidensTheInterval) {
  std::vector<SizeModel::FittedPoint> points;
  for (int i = 0; i < 8; ++i) {
    const KernelKey key = product(100 + 10 * i, 100, 100);
    points.push_back(point(key, 1e-9 * flops_of(key) * (i % 2 == 0 ? 1.1 : 0.9)));
  }
  const KernelKey unseen = product(135, 100, 100);
  const std::optional<SizePrediction> found = SizeModel(points).predict(size_terms(unseen, flops_of(unseen)), quantiles());
  ASSERT_TRUE(found);
  EXPECT_GT(found->half_width, 0.1 * found->mean);
  EXPECT_NEAR(found->mean, 1e-9 * flops_of(unseen), found->half_width);
}

/// Short kernels scatter by a third, long ones by a hundredth.
TEST(SizeModel, ErrorsAreThoseOfSizesNearby) {
  std::vector<SizeModel::FittedPoint> points;
  const auto add = [&](std::int64_t n, double off) {
    const KernelKey key = product(n, n, n);
    points.push_back({size_terms(key, flops_of(key)), 1e-9 * flops_of(key) * off, size_place(key)});
  };
  for (std::int64_t i = 0; i < 8; ++i) {
    add(10 + i, i % 2 == 0 ? 1.33 : 0.67);
    add(400 + 20 * i, i % 2 == 0 ? 1.01 : 0.99);
  }
  const SizeModel model(points);
  const auto half_width_at = [&](std::int64_t n) {
    const KernelKey key = product(n, n, n);
    const std::optional<SizePrediction> found = model.predict(size_terms(key, flops_of(key)), quantiles(), size_place(key));
    return found ? found->half_width / found->mean : 1e9;
  };
  EXPECT_GT(half_width_at(14), 0.3);
  EXPECT_LT(half_width_at(470), 0.1);
}

TEST(SizeModel, PredictsNothingFromFewSizesOrFarOutside) {
  std::vector<SizeModel::FittedPoint> points;
  for (const std::int64_t m : {100, 110, 120}) {
    points.push_back(point(product(m, m, m), 1));
  }
  EXPECT_FALSE(SizeModel(points).predict(size_terms(product(105, 105, 105), 0), quantiles()));
  for (const std::int64_t m : {130, 140, 150}) {
    points.push_back(point(product(m, m, m), 1));
  }
  const SizeModel model(points);
  EXPECT_TRUE(model.predict(size_terms(product(115, 115, 115), flops_of(product(115, 115, 115))), quantiles()));
  EXPECT_FALSE(model.predict(size_terms(product(300, 300, 300), flops_of(product(300, 300, 300))), quantiles()));
  EXPECT_FALSE(model.predict(size_terms(product(50, 50, 50), flops_of(product(50, 50, 50))), quantiles()));
}

TEST(SizeModel, SizesNearbyCorrectTheFit) {
  // from 200 on twice as slow: no sum of terms has such a step
  const auto seconds = [](std::int64_t n) { return 1e-9 * static_cast<double>(n * n * n) * (n >= 200 ? 2 : 1); };
  std::vector<SizeModel::FittedPoint> points;
  for (std::int64_t n = 100; n <= 300; n += 10) {
    points.push_back({size_terms(product(n, n, n), flops_of(product(n, n, n))), seconds(n), size_place(product(n, n, n))});
  }
  const SizeModel model(points);
  for (const std::int64_t n : {125, 275}) {
    const KernelKey unseen = product(n, n, n);
    const std::optional<SizePrediction> found = model.predict(size_terms(unseen, flops_of(unseen)), quantiles(), size_place(unseen));
    ASSERT_TRUE(found);
    EXPECT_NEAR(found->mean / seconds(n), 1, 0.05) << n;
  }
}

TEST(SizeModel, TheOwnTimeOfASizeIsNotUsed) {
  std::vector<SizeModel::FittedPoint> points;
  for (std::int64_t n = 100; n <= 300; n += 10) {
    const KernelKey key = product(n, n, n);
    points.push_back({size_terms(key, flops_of(key)), 1e-9 * flops_of(key) * (n == 200 ? 5 : 1), size_place(key)});
  }
  const KernelKey odd = product(200, 200, 200);
  const std::optional<SizePrediction> found = SizeModel(points).predict(size_terms(odd, flops_of(odd)), quantiles(), size_place(odd));
  ASSERT_TRUE(found);
  EXPECT_NEAR(found->mean, 1e-9 * flops_of(odd), 0.2 * found->mean);
}

TEST(SizeModel, FamilyKeysLeaveOutOnlySizes) {
  EXPECT_EQ(without_sizes({KernelKind::communication, 2, {800, 4, 1}}), (KernelKey{KernelKind::communication, 2, {0, 4, 1}}));
  EXPECT_EQ(without_sizes({KernelKind::computation, 2, {8, 4, 1, 0, 0, 0, 77, 1}}),
            (KernelKey{KernelKind::computation, 2, {0, 0, 0, 0, 0, 0, 77, 1}}));
}

}  // namespace
}  // namespace flopcast::selective
