#include "flopcast/measure/sampler.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "flopcast/kernel/catalogue.hpp"
#include "flopcast/kernel/parse_call.hpp"
#include "tests/measure/fake_services.hpp"

namespace flopcast::measure {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(Doubts, SeesTwoGroups) {
  EXPECT_THAT(doubts(std::vector<double>{1, 1.01, 1.02, 1.01, 2, 2.01, 2.02, 2}), ElementsAre(HasSubstr("two groups")));
  EXPECT_THAT(doubts(std::vector<double>{1, 1.01, 1.02, 1.01, 1, 1.01, 1, 2}), IsEmpty());  // a single outlier is no group
}

TEST(Doubts, SeesAWideSpread) {
  EXPECT_THAT(doubts(std::vector<double>{1, 1.1, 1.2, 1.3, 1.4}), ElementsAre(HasSubstr("spread over more than 10 %")));
  EXPECT_THAT(doubts(std::vector<double>{1, 1.01, 1.02}), IsEmpty());
}

TEST(Doubts, NamesAMissingMeasurement) { EXPECT_THAT(doubts({}), ElementsAre("not measured")); }

TEST(EmptySample, HoldsKeySizesAndStrides) {
  Environment environment;
  environment.fingerprint = "here";
  const Call call = kernel::parse_call(kernel::require("dgemm"), {{"m", "10"}, {"n", "20"}, {"k", "30"}, {"transa", "T"}, {"ldc", "512"}});
  const Sample sample = empty_sample(call, "cold", environment);
  EXPECT_EQ(sample.key, model_key(call, "cold", "here"));
  EXPECT_THAT(sample.sizes, ElementsAre(10, 20, 30));
  EXPECT_THAT(sample.strides, ElementsAre(32, 32, 512));
}

TEST(Sampler, KeepsEveryRepetition) {
  reset_fake_world();
  Environment environment;
  environment.fingerprint = "here";
  SessionOptions options;
  options.stop.min_repetitions = options.stop.max_repetitions = 4;
  fake_services().duration["ddot"] = 100000;
  fake_services().duration["daxpy"] = 50000;
  fake_services().disturb = std::vector<bool>(10, false);
  fake_services().disturb[4] = true;
  Session session(fake_backend(), environment, options);
  const Call dot = kernel::parse_call(kernel::require("ddot"), {{"n", "1"}});
  const Call axpy = kernel::parse_call(kernel::require("daxpy"), {{"n", "1"}});
  Precondition cold;
  cold.state = Precondition::State::cold;
  const std::vector<Sample> samples = sample(session, std::vector<SamplePoint>{{dot, {}, 1}, {axpy, cold, 1}});
  ASSERT_EQ(samples.size(), 2);
  EXPECT_EQ(samples[0].key, model_key(dot, "warm", "here"));
  EXPECT_EQ(samples[0].repetitions.size(), 4);
  EXPECT_NEAR(samples[0].times().at(0), 100e-6, 1e-12);
  EXPECT_EQ(samples[1].key, model_key(axpy, "cold", "here"));
  EXPECT_EQ(samples[1].repetitions.size(), 5);
  EXPECT_EQ(samples[1].times().size(), 4);
  EXPECT_NEAR(samples[1].times().at(0), 50e-6, 1e-12);
}

TEST(Sampler, StoppedEarlyStillNamesEverySample) {
  reset_fake_world();
  Session session(fake_backend(), {}, {});
  const Call dot = kernel::parse_call(kernel::require("ddot"), {{"n", "1"}});
  const std::vector<Sample> samples =
      sample(session, std::vector<Call>(3, dot), Precondition{}, [](std::int64_t, std::int64_t) { return false; });
  ASSERT_EQ(samples.size(), 3);
  std::size_t made = 0;
  for (const Sample& one : samples) {
    EXPECT_EQ(one.key.routine, "ddot");
    made += one.repetitions.size();
  }
  EXPECT_EQ(made, 1);
}

}  // namespace
}  // namespace flopcast::measure
