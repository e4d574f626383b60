#include "flopcast/tasks/modelling/sample_calls.hpp"
#include "flopcast/tasks/modelling/modelling_schemas.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "flopcast/kernel/parse_call.hpp"
#include "flopcast/support/error.hpp"
#include "tests/measure/fake_services.hpp"
#include "tests/schema_check.hpp"

namespace flopcast {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class Samples : public ::testing::Test {
 protected:
  Samples() {
    measure::reset_fake_world();
    measure::fake_services().duration = {{"dgemm", 1000}, {"ddot", 100'000}, {"daxpy", 50'000}};
    environment_.fingerprint = "here";
    context_.note = [this](const std::string& text) { notes_.push_back(text); };
  }

  SampleResult sample_with(const SampleRequest& request) {
    measure::SessionOptions options = session_options(request);
    measure::Session session(measure::fake_backend(), environment_, options);
    return sample(
        session, calls_, request, [] { return 1e-9 * static_cast<double>(measure::fake_services().now); }, context_);
  }

  std::vector<Call> calls_ = kernel::expand_calls("ddot n=1");
  Environment environment_;
  RunContext context_;
  std::vector<std::string> notes_;
};

TEST_F(Samples, BelongToEachCallInEachCacheState) {
  calls_.push_back(kernel::expand_calls("daxpy n=1").front());
  SampleRequest request;
  request.caches = {"warm", "cold"};
  request.repetitions = 4;
  request.batch = 1;
  const SampleResult result = sample_with(request);
  ASSERT_EQ(result.samples.size(), 4U);
  for (std::size_t i = 0; i < 4; ++i) {
    const SampledCall& one = result.samples[i];
    EXPECT_EQ(one.call.routine, calls_[i / 2].routine);
    EXPECT_EQ(one.cache, request.caches[i % 2]);
    EXPECT_EQ(one.sample.key.cache, request.caches[i % 2]);
    EXPECT_EQ(one.sample.repetitions.size(), 4U);
    EXPECT_NEAR(one.sample.times().front(), i < 2 ? 100e-6 : 50e-6, 1e-7);
  }
  EXPECT_EQ(result.rule.min_repetitions, 4);
  EXPECT_EQ(result.rule.max_repetitions, 4);
  EXPECT_EQ(result.environment, environment_);
  EXPECT_NEAR(result.rule.reference_seconds, 1e-6, 1e-8);
  EXPECT_THAT(notes_, IsEmpty());
}

TEST_F(Samples, HaveTheRepetitionsSoFarAfterTheTimeBudget) {
  SampleRequest request;
  request.repetitions = 1000;
  request.batch = 1;
  request.time_budget = 10e-3;
  const SampleResult result = sample_with(request);
  EXPECT_GT(result.samples.front().sample.repetitions.size(), 10U);
  EXPECT_LT(result.samples.front().sample.repetitions.size(), 200U);
}

TEST_F(Samples, HaveTheRepetitionsSoFarAfterACancellation) {
  SampleRequest request;
  request.repetitions = 1000;
  request.batch = 1;
  context_.cancelled = [] { return measure::fake_services().now > 10'000'000; };
  EXPECT_LT(sample_with(request).samples.front().sample.repetitions.size(), 200U);
}

TEST_F(Samples, GoOnUntilTheIntervalIsNarrow) {
  SampleRequest request;
  request.interval = 0.01;
  const measure::SessionOptions options = session_options(request);
  EXPECT_EQ(options.stop.max_repetitions, 1000);
  EXPECT_EQ(options.stop.relative_interval, 0.01);
  request.repetitions = 50;
  EXPECT_EQ(session_options(request).stop.max_repetitions, 50);
  EXPECT_LT(session_options(request).stop.min_repetitions, 50);
}

TEST_F(Samples, ComeWithANoteIfTheMachineIsSlowerThanItWas) {
  note_speed(0, 1e-6, context_);
  note_speed(0.9e-6, 1e-6, context_);
  EXPECT_THAT(notes_, IsEmpty());
  note_speed(0.5e-6, 1e-6, context_);
  EXPECT_THAT(notes_, ElementsAre(HasSubstr("takes 2.00 times as long")));
}

TEST_F(Samples, ArePlannedWithoutMeasuring) {
  SampleRequest request;
  request.caches = {"warm", "cold"};
  request.batch = 3;
  const std::vector<PlannedSample> plan = plan_samples(environment_, calls_, request);
  ASSERT_EQ(plan.size(), 2U);
  EXPECT_EQ(plan.front(), (PlannedSample{calls_.front(), "warm", 3}));
  EXPECT_EQ(plan.back().cache, "cold");
  EXPECT_EQ(sample_plan_from_json(to_json(plan)), plan);
  EXPECT_EQ(tests::schema_violation(to_json(plan), modelling_schemas()), "");
  EXPECT_THAT(measure::fake_services().log, IsEmpty());
}

TEST_F(Samples, RefuseUnknownCacheStatesAndNoCalls) {
  SampleRequest request;
  request.caches = {"tepid"};
  EXPECT_THROW(static_cast<void>(sample_with(request)), Error);
  calls_.clear();
  EXPECT_THROW(static_cast<void>(sample_with({})), Error);
}

TEST_F(Samples, ReadBackEqual) {
  calls_ = kernel::expand_calls("daxpy n=1 alpha=-1.25 incx=2");
  calls_.push_back(kernel::expand_calls("ddot n=1").front());
  SampleRequest request;
  request.clock = measure::Clock::cpu;
  request.seed = 7;
  const SampleResult result = sample_with(request);
  EXPECT_EQ(result.rule.clock, measure::Clock::cpu);
  EXPECT_EQ(sample_result_from_json(to_json(result)), result);
  EXPECT_EQ(tests::schema_violation(to_json(result), modelling_schemas()), "");
}

}  // namespace
}  // namespace flopcast
