#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "flopcast/kernel/catalogue.hpp"
#include "flopcast/kernel/parse_call.hpp"
#include "flopcast/predict/kernel_models.hpp"
#include "flopcast/predict/placed_models.hpp"
#include "flopcast/predict/predict.hpp"
#include "flopcast/support/error.hpp"
#include "tests/kernel/plain_call.hpp"

namespace flopcast::prediction {
namespace {

using kernel::call;

Call scale(std::int64_t n) { return call("dscal", {n, 8000, 1}); }

/// Returns a model with seconds(n) = n on [1, 100].
model::Model linear(const ModelKey& key) {
  model::Model model;
  model.key = key;
  model.sizes = {"n"};
  model.domain = {{{1}, {100}}};
  model::Piece piece;
  piece.box = model.domain.front();
  piece.polynomial = {{0}, {1}, {{1}}, {1}};
  model.pieces = {piece};
  return model;
}

TEST(StoredModels, EvaluatesTheModelOfTheKey) {
  std::vector<ModelKey> asked;
  const StoredModels models(
      [&](const ModelKey& key) {
        asked.push_back(key);
        return std::optional(linear(key));
      },
      "here");
  EXPECT_DOUBLE_EQ(models.evaluate(scale(10), {"cold", {}}).seconds, 10);
  EXPECT_DOUBLE_EQ(models.evaluate(scale(20), {"cold", {}}).seconds, 20);
  EXPECT_TRUE(models.evaluate(scale(200), {"cold", {}}).extrapolated);
  ASSERT_EQ(asked.size(), 1U) << "a model is fetched once";
  EXPECT_EQ(asked.front(), model_key(scale(10), "cold", "here"));
}

TEST(StoredModels, AMissingModelIsNamed) {
  const StoredModels models([](const ModelKey&) { return std::nullopt; }, "here");
  try {
    (void)models.evaluate(scale(10), {"warm", {}});
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("dscal"));
    EXPECT_THAT(error.what(), testing::HasSubstr("warm"));
  }
}

TEST(StoredModels, ACallWithoutWorkNeedsNoModel) {
  const StoredModels models([](const ModelKey&) { return std::nullopt; }, "here");
  EXPECT_EQ(models.evaluate(scale(0), {"warm", {}}).seconds, 0);
  const Call gemm = kernel::parse_call(kernel::require("dgemm"), {{"m", "10"}, {"n", "10"}, {"k", "0"}});
  EXPECT_EQ(models.evaluate(gemm, {"warm", {}}).seconds, 0);
}

TEST(ModelRequirements, CollectsTheSizesOfEveryKey) {
  const ModelRequirements requirements("here");
  Trace trace;
  trace.calls = {scale(30), scale(10), scale(20), scale(0)};
  const CacheLevel cache{.name = "L1", .capacity_bytes = 1000};
  PredictOptions options;
  options.method = Method::paper;
  predict(trace, cache::cache_state(trace, {&cache, 1}), {&cache, 1}, requirements, options);
  ASSERT_EQ(requirements.missing().size(), 2U);
  for (const auto& [key, need] : requirements.missing()) {
    EXPECT_EQ(need.box, (model::Box{{10}, {30}})) << to_string(key);
    EXPECT_EQ(key.library, "here");
  }
}

class FittedModels : public testing::Test {
 protected:
  FittedModels() : models_(environment()) {
    for (std::int64_t n = 64; n <= 4096; n *= 2) {
      const double seconds = static_cast<double>(n) * 1e-9;
      models_.add(scale(n), {{8 * n, 0, false}}, std::vector{seconds, 1.02 * seconds, 0.99 * seconds});
    }
    models_.fit();
  }

  static Environment environment() {
    Environment environment;
    environment.caches = {{.name = "L1", .capacity_bytes = 32768, .bandwidth = 1e11},
                          {.name = "L2", .capacity_bytes = 1 << 20, .bandwidth = 5e10}};
    environment.memory_bandwidth = 1e10;
    environment.peak_flops = 5e10;
    environment.fingerprint = "here";
    return environment;
  }

  model::OnDemandModels models_;
};

TEST_F(FittedModels, JointDeviationIsThatOfTheModels) {
  const std::vector<Call> calls = {scale(100), scale(300), scale(1000)};
  const std::vector<Placement> placements = {{{1024, 0, false}}, {{2048, 0, true}}, {{8192, 0, false}}};
  const PlacedModels source(models_);
  std::vector<Term> terms;
  for (std::size_t i = 0; i < calls.size(); ++i) {
    const Condition condition{"placed", placements[i]};
    terms.push_back({calls[i], condition, 1, source.evaluate(calls[i], condition)});
  }
  const model::Total total = models_.total(calls, placements);
  EXPECT_NEAR(*source.deviation(terms), std::sqrt(models_.covariance(total, total)), 1e-9 * total.seconds);
}

TEST_F(FittedModels, WithoutSamplesNothingIsKnownForSure) {
  const PlacedModels source(models_);
  const Condition condition{"placed", {{1024, 0, false}, {1024, 0, false}}};
  const Call copy = call("dcopy", {100, 8000, 1, 16000, 1});
  const Estimate estimate = source.evaluate(copy, condition);
  EXPECT_TRUE(estimate.extrapolated);
  EXPECT_NEAR(*source.deviation(std::vector{Term{copy, condition, 3, estimate}}), 3 * estimate.seconds, 1e-12);
}

TEST_F(FittedModels, NamedStatesAreAPlaceForAllOperands) {
  const PlacedModels source(models_);
  const auto seconds = [&](const Condition& condition) { return source.evaluate(scale(1000), condition).seconds; };
  EXPECT_EQ(seconds({"warm", {}}), seconds({"placed", {{8000, 0, false}}}));
  EXPECT_EQ(seconds({"L2", {}}), seconds({"placed", {{1 << 20, 1, false}}}));
  EXPECT_EQ(seconds({"cold", {}}), seconds({"placed", {{-1, 2, false}}}));
  EXPECT_THROW((void)seconds({"L3", {}}), Error);
}

}  // namespace
}  // namespace flopcast::prediction
