#include "flopcast/predict/predict.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "flopcast/predict/call_signature.hpp"
#include "flopcast/support/error.hpp"
#include "tests/kernel/plain_call.hpp"

namespace flopcast::prediction {
namespace {

using kernel::call;

constexpr double z95 = 1.959963984540054;

/// Times by cache state: dscal takes n seconds when warm, twice as long in L2, ten times as long when cold, and placed by the level of its
/// only operand. dgemm takes 1000 s in any state.
class Formula : public KernelModels {
 public:
  Estimate evaluate(const Call& call, const Condition& condition) const override {
    ++evaluations;
    if (call.routine->name == "dgemm") {
      return {1000, 0.02, false};
    }
    const auto n = static_cast<double>(call.arguments[0]);
    if (condition.cache == "placed") {
      return {n * (1 + condition.placement[0].level), 0.1, false};
    }
    const double factor = condition.cache == "warm" ? 1 : condition.cache == "cold" ? 10 : 2;
    return {n * factor, 0.1, condition.cache == "cold"};
  }
  mutable int evaluations = 0;
};

class WithJointDeviation : public Formula {
 public:
  std::optional<Seconds> deviation(std::span<const Term>) const override { return 7; }
};

const std::vector<CacheLevel> caches = {{.name = "L1", .capacity_bytes = 1000}, {.name = "L2", .capacity_bytes = 10000}};

Call scale(std::int64_t n, std::int64_t address) { return call("dscal", {n, address, 1}); }
Call multiply() { return call("dgemm", {'N', 'N', 1, 1, 1, 8000, 1, 16000, 1, 24000, 1}); }

/// Returns a trace of two dscal calls with n = 10, one with n = 20, and one dgemm.
Trace example() {
  Trace trace;
  trace.calls = {scale(10, 80000), scale(10, 160000), multiply(), scale(20, 80000)};
  return trace;
}

cache::CacheState state_of(const Trace& trace) { return cache::cache_state(trace, caches, cache::Start::cold); }

PredictOptions with(Method method) {
  PredictOptions options;
  options.method = method;
  options.method_error = 0;
  return options;
}

TEST(Predict, AnEmptyTraceTakesNoTime) {
  const TracePrediction prediction = predict({}, {}, caches, Formula());
  EXPECT_EQ(prediction.seconds, 0);
  EXPECT_EQ(prediction.interval, (Interval{0, 0}));
  EXPECT_EQ(prediction.extrapolated_share(), 0);
  EXPECT_TRUE(prediction.kernels.empty());
}

TEST(Predict, WarmAddsUp) {
  const TracePrediction prediction = predict(example(), {}, caches, Formula(), with(Method::warm));
  EXPECT_DOUBLE_EQ(prediction.seconds, 10 + 10 + 20 + 1000);
  EXPECT_EQ(prediction.extrapolated, 0);
  ASSERT_EQ(prediction.kernels.size(), 2U);
  EXPECT_EQ(prediction.kernels[0].key.routine, "dgemm");
  EXPECT_EQ(prediction.kernels[1].key.routine, "dscal");
  EXPECT_EQ(prediction.kernels[1].calls, 3);
  EXPECT_DOUBLE_EQ(prediction.kernels[1].flops, 40);
  EXPECT_DOUBLE_EQ(prediction.kernels[1].seconds, 40);
  EXPECT_TRUE(prediction.calls.empty());
}

TEST(Predict, ErrorsOfOneModelGoTogetherThoseOfSeveralAreIndependent) {
  const TracePrediction prediction = predict(example(), {}, caches, Formula(), with(Method::warm));
  EXPECT_DOUBLE_EQ(prediction.kernels[1].deviation, 4);
  EXPECT_NEAR(prediction.interval.high, 1040 + z95 * std::hypot(4, 20), 1e-6);
  EXPECT_NEAR(prediction.interval.low, 1040 - z95 * std::hypot(4, 20), 1e-6);
}

TEST(Predict, ModelsMayKnowTheJointDeviation) {
  const TracePrediction prediction = predict(example(), {}, caches, WithJointDeviation(), with(Method::warm));
  EXPECT_NEAR(prediction.interval.high, 1040 + z95 * 7, 1e-6);
}

TEST(Predict, TheMethodsOwnErrorWidensTheInterval) {
  PredictOptions options = with(Method::warm);
  options.method_error = 0.01;
  const TracePrediction prediction = predict(example(), {}, caches, WithJointDeviation(), options);
  EXPECT_NEAR(prediction.interval.high, 1040 + z95 * std::hypot(7, 10.4), 1e-6);
}

TEST(Predict, ColdIsExtrapolatedWhereItsModelIs) {
  const TracePrediction prediction = predict(example(), {}, caches, Formula(), with(Method::cold));
  EXPECT_DOUBLE_EQ(prediction.seconds, 400 + 1000);
  EXPECT_DOUBLE_EQ(prediction.extrapolated_share(), 400.0 / 1400);
}

TEST(Predict, PaperBlendsWarmAndColdByTheAccessDistance) {
  Trace trace;
  trace.calls = {scale(10, 80000), scale(10, 80000)};
  PredictOptions options = with(Method::paper);
  options.per_call = true;
  options.capacity_bytes = 160;
  const TracePrediction prediction =
      predict(trace, cache::cache_state(trace, caches, cache::Start::artificial), caches, Formula(), options);
  ASSERT_EQ(prediction.calls.size(), 2U);
  const double first = std::tanh(4 * 0.5);   // distance 80 of 160 in the artificial region
  const double second = std::tanh(4 * 0.5);  // distance 80 from the previous call
  EXPECT_DOUBLE_EQ(prediction.calls[0].seconds, (1 + first) / 2 * 10 + (1 - first) / 2 * 100);
  EXPECT_DOUBLE_EQ(prediction.calls[1].seconds, (1 + second) / 2 * 10 + (1 - second) / 2 * 100);
  EXPECT_NEAR(prediction.seconds, prediction.calls[0].seconds + prediction.calls[1].seconds, 1e-12);
  EXPECT_TRUE(prediction.calls[0].extrapolated);
}

TEST(Predict, ThePapersCapacityIsThatOfTheLargestCache) {
  Trace trace;
  trace.calls = {scale(10, 80000), scale(10, 80000)};
  const auto state = cache::cache_state(trace, caches, cache::Start::artificial);
  PredictOptions options = with(Method::paper);
  const Seconds by_default = predict(trace, state, caches, Formula(), options).seconds;
  options.capacity_bytes = 10000;
  EXPECT_DOUBLE_EQ(predict(trace, state, caches, Formula(), options).seconds, by_default);
}

TEST(Predict, LevelsBlendByBytes) {
  Trace trace;
  trace.calls = {scale(50, 80000), scale(100, 800000),
                 scale(100, 80000)};  // the last call: half of it was used two calls ago (1200 bytes, L2), half never
  PredictOptions options = with(Method::levels);
  options.per_call = true;
  const TracePrediction prediction = predict(trace, state_of(trace), caches, Formula(), options);
  EXPECT_DOUBLE_EQ(prediction.calls[0].seconds, 500);
  EXPECT_DOUBLE_EQ(prediction.calls[2].seconds, 0.5 * 200 + 0.5 * 1000);
}

TEST(Predict, PlacedAsksForEachOperandsLevel) {
  Trace trace;
  trace.calls = {scale(10, 80000), scale(10, 80000)};
  PredictOptions options = with(Method::placed);
  options.per_call = true;
  const TracePrediction prediction = predict(trace, state_of(trace), caches, Formula(), options);
  EXPECT_DOUBLE_EQ(prediction.calls[0].seconds, 10 * 3);
  EXPECT_DOUBLE_EQ(prediction.calls[1].seconds, 10);
  EXPECT_DOUBLE_EQ(prediction.calls[1].relative_error, 0.1);
}

TEST(Predict, EqualCallsAreEvaluatedOnce) {
  Trace trace;
  for (int i = 0; i < 100; ++i) {
    trace.calls.push_back(scale(10, 80000));
  }
  const Formula warm, placed;
  predict(trace, {}, caches, warm, with(Method::warm));
  EXPECT_EQ(warm.evaluations, 1);
  predict(trace, state_of(trace), caches, placed, with(Method::placed));
  EXPECT_EQ(placed.evaluations, 2) << "the first call is in memory, all others in L1";
}

TEST(Predict, CallsThatDifferInMoreThanAddressesAreKeptApart) {
  Trace trace;
  trace.calls = {call("dscal", {10, 80000, 1}), call("dscal", {10, 80000, 2}), call("dscal", {11, 80000, 1}),
                 call("dscal", {10, 80000, 1})};
  trace.calls[3].scalars[0] = 2;
  const Formula formula;
  predict(trace, {}, caches, formula, with(Method::warm));
  EXPECT_EQ(formula.evaluations, 4);
}

TEST(Predict, AForeignCacheStateIsRefused) {
  EXPECT_THROW(predict(example(), {}, caches, Formula(), with(Method::placed)), Error);
  EXPECT_THROW(predict(example(), state_of(example()), {}, Formula(), with(Method::paper)), Error);
}

TEST(RoundedDistance, KeepsFourLeadingBits) {
  EXPECT_EQ(rounded_distance(-1), -1);
  EXPECT_EQ(rounded_distance(15), 15);
  EXPECT_EQ(rounded_distance(1000), 1024);
  EXPECT_EQ(rounded_distance(1150), 1152);
  for (std::int64_t distance = 16; distance < 100000; ++distance) {
    ASSERT_LE(std::abs(static_cast<double>(rounded_distance(distance) - distance)), static_cast<double>(distance) / 16);
  }
}

}  // namespace
}  // namespace flopcast::prediction
