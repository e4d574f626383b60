#include "flopcast/tasks/modelling/model_build.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "flopcast/core/kernel_model.hpp"
#include "flopcast/core/statistics.hpp"
#include "flopcast/measure/sampler.hpp"
#include "flopcast/support/error.hpp"
#include "flopcast/tasks/modelling/model_list.hpp"
#include "flopcast/tasks/modelling/modelled_kernel.hpp"
#include "tests/own_folder.hpp"

namespace flopcast {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// A machine whose kernels take as long as a formula says, and a store of its own.
class ModelBuilds : public ::testing::Test {
 protected:
  ModelBuilds() : store_(model::Store::open(folder_.path() / "flopcast.db")) {
    environment_.fingerprint = "0123456789abcdef";
    environment_.caches = {{.name = "L1", .capacity_bytes = 32 << 10}, {.name = "L2", .capacity_bytes = 1 << 20}};
    request_.routine = "dger";
    request_.sizes = {{"m", {{8, 256}}}, {"n", {{8, 256}}}};
  }

  /// Every sampled call takes a nanosecond per flop and a microsecond; sampling it takes `seconds_per_call_`.
  ModelBuildServices services() {
    return {environment_,
            store_,
            0,
            [this](std::span<const Call> calls, const measure::Precondition& state, const Progress& progress) {
              std::vector<Sample> samples;
              bool goes_on = true;
              for (const Call& call : calls) {
                samples.push_back(measure::empty_sample(call, measure::cache_name(state), environment_));
                if (goes_on) {
                  ++sampled_;
                  now_ += seconds_per_call_;
                  samples.back().repetitions.assign(3, {time_(call), 1, now_, false});
                  goes_on = progress(static_cast<std::int64_t>(samples.size()), static_cast<std::int64_t>(calls.size()));
                }
              }
              return samples;
            },
            [this](const Call& call) { return team_size_(call); },
            [this] { return now_; },
            [this] { ++references_kept_; }};
  }

  ModelBuild build(const RunContext& context = {}) { return build_model(request_, services(), context); }

  [[nodiscard]] std::string error_of_build() {
    try {
      static_cast<void>(build());
    } catch (const std::exception& error) {
      return error.what();
    }
    return "";
  }

  tests::OwnFolder folder_;
  model::Store store_;
  Environment environment_;
  ModelRequest request_;
  std::function<Seconds(const Call&)> time_ = [](const Call& call) { return 1e-6 + 1e-9 * flops(call); };
  std::function<double(const Call&)> team_size_ = [](const Call&) { return 1.0; };
  Seconds now_ = 0, seconds_per_call_ = 1;
  int sampled_ = 0, references_kept_ = 0;
};

TEST_F(ModelBuilds, FitAndStoreWhatTheKernelTakes) {
  const ModelBuild built = build();
  EXPECT_FALSE(built.replaced);
  EXPECT_EQ(built.model.generator, "refined");
  EXPECT_TRUE(built.model.options.complete);
  EXPECT_EQ(built.model.options.cache, "warm");
  EXPECT_EQ(built.model.options.refinement, request_.refinement);
  EXPECT_EQ(built.model.cost.samples, sampled_);
  EXPECT_EQ(built.model.cost.seconds, sampled_);
  EXPECT_EQ(references_kept_, 1);
  const model::Sizes sizes = {100, 200};
  EXPECT_NEAR(evaluate(built.model, sizes).seconds, time_(modelled_kernel(request_).call(sizes)), 1e-9);
  EXPECT_THAT(store_.models(), ElementsAre(built.model));
  EXPECT_TRUE(store_.find_environment(environment_.fingerprint).has_value());
}

TEST_F(ModelBuilds, HaveADomainWithCornersThatTheKernelDoesNotTake) {
  request_.routine = "dlarft";  // needs n >= k
  request_.sizes = {{"n", {{24, 520}}}, {"k", {{16, 128}}}};
  request_.arguments = {{"direct", "F"}, {"storev", "C"}};
  const ModelBuild built = build();
  EXPECT_TRUE(built.model.options.complete);
  const model::Sizes sizes = {400, 64};
  const Seconds expected = time_(modelled_kernel(request_).call(sizes));
  EXPECT_NEAR(evaluate(built.model, sizes).seconds, expected, 0.1 * expected);
  request_.sizes = {{"n", {{24, 64}}}, {"k", {{100, 128}}}};
  EXPECT_THAT(error_of_build(), HasSubstr("needs n >= k"));
}

TEST_F(ModelBuilds, TakeTheNearestCallInSuchACorner) {
  request_.sizes = {{"m", {{8, 256}}}, {"n", {{8, 256}}}, {"k", {{8, 256}}}};
  request_.routine = "dorgqr";  // needs m >= n >= k
  const ModelledKernel generator = modelled_kernel(request_);
  const auto sizes_at = [](const ModelledKernel& kernel, const model::Sizes& wanted) {
    const auto taken = sizes(kernel.call(wanted));
    return std::vector<std::int64_t>(taken.begin(), taken.end());
  };
  EXPECT_THAT(sizes_at(generator, {100, 50, 20}), ElementsAre(100, 50, 20));
  EXPECT_THAT(sizes_at(generator, {100, 50, 70}), ElementsAre(100, 50, 50));
  EXPECT_THAT(sizes_at(generator, {48, 104, 16}), ElementsAre(48, 48, 16));
  EXPECT_THAT(sizes_at(generator, {48, 104, 60}), ElementsAre(48, 48, 48));
  request_.routine = "dlarfb";  // needs m >= k, whatever n is
  request_.arguments = {{"side", "L"}, {"trans", "T"}, {"direct", "F"}, {"storev", "C"}};
  EXPECT_THAT(sizes_at(modelled_kernel(request_), {48, 480, 120}), ElementsAre(48, 480, 48));
}

TEST_F(ModelBuilds, UseStoredSamplesAgain) {
  const ModelPlan before = plan_model(request_, environment_, store_, 0);
  EXPECT_EQ(before.known, 0);
  const ModelBuild first = build();
  EXPECT_EQ(before.points, sampled_);
  const ModelPlan after = plan_model(request_, environment_, store_, 0);
  EXPECT_EQ(after.known, sampled_);
  sampled_ = 0;
  const ModelBuild second = build();
  EXPECT_EQ(sampled_, 0);
  EXPECT_TRUE(second.replaced);
  EXPECT_EQ(second.model.pieces, first.model.pieces);
  request_.fresh = true;
  EXPECT_TRUE(build().replaced);
  EXPECT_EQ(sampled_, before.points);
}

TEST_F(ModelBuilds, KeepSamplesOfOtherStridesApart) {
  static_cast<void>(build());
  sampled_ = 0;
  request_.arguments["lda"] = "1024";
  static_cast<void>(build());
  EXPECT_GT(sampled_, 0);
}

TEST_F(ModelBuilds, AreCoarserAfterTheTimeBudget) {
  time_ = [](const Call& call) { return std::exp(3 * std::sin(0.05 * static_cast<double>(sizes(call)[0]))); };
  const std::int64_t points = plan_model(request_, environment_, store_, 0).points;
  request_.time_budget = 1.5 * static_cast<double>(points);
  std::vector<std::string> notes;
  RunContext context;
  context.note = [&](const std::string& text) { notes.push_back(text); };
  const ModelBuild built = build(context);
  EXPECT_FALSE(built.model.options.complete);
  EXPECT_GE(sampled_, points);
  EXPECT_LE(sampled_, points * 2);
  EXPECT_THAT(notes, Contains(HasSubstr("the time budget is spent")));
}

TEST_F(ModelBuilds, RefuseATimeBudgetTooShortForAModelButKeepSamples) {
  request_.time_budget = 3;
  EXPECT_THAT(error_of_build(), HasSubstr("too short for the first"));
  EXPECT_THAT(store_.models(), IsEmpty());
  EXPECT_EQ(store_.sample_count(), 4);
}

TEST_F(ModelBuilds, EndWhereTheyAreCancelled) {
  RunContext context;
  context.cancelled = [this] { return sampled_ >= 5; };
  EXPECT_THROW(static_cast<void>(build(context)), Cancelled);
  EXPECT_EQ(store_.sample_count(), 5);
  EXPECT_EQ(references_kept_, 1);
}

TEST_F(ModelBuilds, RefuseAMachineThatIsTooNoisy) {
  time_ = [](const Call&) { return 1e-6; };
  ModelBuildServices noisy = services();
  noisy.sample = [&, steady = noisy.sample](auto calls, const auto& state, const auto& progress) {
    std::vector<Sample> samples = steady(calls, state, progress);
    samples.front().repetitions.front().discarded = true;
    return samples;
  };
  try {
    static_cast<void>(build_model(request_, noisy, {}));
    FAIL() << "no exception";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("1 of 3 repetitions of dger"));
  }
}

TEST_F(ModelBuilds, ByLevelsSampleEveryMemoryLevel) {
  request_.method = ModelMethod::levels;
  const ModelBuild built = build();
  EXPECT_EQ(built.model.generator, "levels");
  EXPECT_EQ(built.model.options.levels, request_.levels);
  EXPECT_EQ(built.model.pieces.size(), 2U);  // L1 and L2: 8 * 256 * 256 bytes are less than 1 MiB
  EXPECT_EQ(plan_model(request_, environment_, store_, 0).points, request_.levels.measurements);
}

TEST_F(ModelBuilds, FindWhereALibraryUsesItsThreads) {
  environment_.threads = 2;
  team_size_ = [](const Call& call) { return flops(call) > 2.0 * 10000 ? 2.0 : 1.0; };
  const ModelBuild built = build();
  ASSERT_EQ(built.model.options.thresholds.size(), 1U);
  EXPECT_NEAR(built.model.options.thresholds.front(), 10000, 300);
  team_size_ = [](const Call&) -> double { throw std::logic_error("the store has the threshold"); };
  EXPECT_EQ(build().model.options.thresholds, built.model.options.thresholds);
  request_.thresholds = false;
  EXPECT_THAT(build().model.options.thresholds, IsEmpty());
}

TEST_F(ModelBuilds, RefuseWhatAModelCannotBeOf) {
  request_.cache = "A=memory,x=L1";
  EXPECT_THAT(error_of_build(), HasSubstr("a model's cache state is warm"));
  request_.cache = "warm";
  request_.refinement.degree = 9;
  EXPECT_THAT(error_of_build(), HasSubstr("degree is 9"));
}

TEST(ModelledKernel, HasADomainForEveryCombinationOfRanges) {
  ModelRequest request{"dgemm", {{"m", {{8, 16}, {64, 64}}}, {"n", {{4, 4}}}, {"k", {{1, 2}, {3, 4}}}}};
  const ModelledKernel kernel = modelled_kernel(request);
  EXPECT_THAT(kernel.names, ElementsAre("m", "n", "k"));
  EXPECT_THAT(kernel.domain, ElementsAre(model::Box{{8, 4, 1}, {16, 4, 2}}, model::Box{{8, 4, 3}, {16, 4, 4}},
                                         model::Box{{64, 4, 1}, {64, 4, 2}}, model::Box{{64, 4, 3}, {64, 4, 4}}));
  EXPECT_EQ(hull(kernel.domain), (model::Box{{8, 4, 1}, {64, 4, 4}}));
}

TEST(ModelledKernel, RefusesWhatItCannotRead) {
  const auto message = [](const ModelRequest& request) {
    try {
      static_cast<void>(modelled_kernel(request));
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_THAT(message({"dger", {{"m", {{8, 16}}}}}), HasSubstr("size 'n' of dger is missing"));
  EXPECT_THAT(message({"dger", {{"m", {{16, 8}}}, {"n", {{8, 8}}}}}), HasSubstr("ends before it starts"));
  EXPECT_THAT(message({"dger", {{"m", {{0, 8}}}, {"n", {{8, 8}}}}}), HasSubstr("isn't within 1 to 1000000"));
  EXPECT_THAT(message({"dger", {{"m", {}}, {"n", {{8, 8}}}}}), HasSubstr("has no range"));
  EXPECT_THAT(message({"dger", {{"m", {{8, 8}}}, {"n", {{8, 8}}}, {"k", {{8, 8}}}}}), HasSubstr("dger has no size 'k'"));
  EXPECT_THAT(message({"dger", {{"m", {{8, 8}}}, {"n", {{8, 8}}}}, {{"alfa", "1"}}}), HasSubstr("dger has no argument 'alfa'"));
  EXPECT_THAT(message({"dgerr", {}}), HasSubstr("dger"));
}

}  // namespace
}  // namespace flopcast
