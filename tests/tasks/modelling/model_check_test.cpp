#include "flopcast/tasks/modelling/model_check.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "flopcast/model/artifacts.hpp"
#include "flopcast/support/error.hpp"
#include "flopcast/tasks/modelling/modelling_schemas.hpp"
#include "tests/message_of.hpp"
#include "tests/mutation/expect_errors.hpp"
#include "tests/schema_check.hpp"
#include "tests/tasks/modelling/checked_machine.hpp"

namespace flopcast {
namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::HasSubstr;

class ModelChecks : public ::testing::Test {
 protected:
  ModelCheck check(const ModelCheckRequest& request = {}) { return check_models(request, machine_.services(), context_); }

  std::string error_of(const ModelCheckRequest& request) {
    return tests::bad_input_of([&] { static_cast<void>(check(request)); });
  }

  /// Returns the largest relative error of the present predictions at all sampled calls.
  [[nodiscard]] double worst_error(const std::string& family) const {
    const model::OnDemandModels models = machine_.models();
    double worst = 0;
    for (const ModelKey& key : machine_.store.sampled_keys()) {
      for (const Sample& sample : machine_.store.samples(key)) {
        const Call call = call_of(sample, kernel::find);
        if (call.routine->family == family) {
          worst = std::max(worst, std::fabs(models.seconds(call, sample.placement) / machine_.truth(call) - 1));
        }
      }
    }
    return worst;
  }

  /// Returns the samples of the store, with their numbers, by kernel.
  [[nodiscard]] std::map<ModelKey, std::map<std::int64_t, Sample>> stored_samples() const {
    std::map<ModelKey, std::map<std::int64_t, Sample>> all;
    for (const ModelKey& key : machine_.store.sampled_keys()) {
      for (const model::StoredSample& stored : machine_.store.stored_samples(key)) {
        all[key].emplace(stored.id, stored.sample);
      }
    }
    return all;
  }

  tests::CheckedMachine machine_;
  RunContext context_;
};

struct Sums {
  explicit Sums(const ModelCheck& check) {
    for (const KernelCheck& kernel : check.kernels) {
      points += static_cast<std::int64_t>(kernel.points.size());
      runs += kernel.runs;
      within += kernel.within;
      suspects += kernel.suspects;
      removed += kernel.removed;
      added += kernel.added;
      held_out += std::count_if(kernel.points.begin(), kernel.points.end(), [](const CheckedPoint& point) { return point.held_out; });
    }
  }
  std::int64_t points = 0, runs = 0, within = 0, suspects = 0, removed = 0, added = 0, held_out = 0;
};

std::vector<CheckVerdict> verdicts(const ModelCheck& check) {
  std::vector<CheckVerdict> all;
  for (const KernelCheck& kernel : check.kernels) {
    all.push_back(kernel.verdict);
  }
  return all;
}

TEST_F(ModelChecks, LeaveAStoreThatHoldsAsItIs) {
  machine_.sample();
  const auto before = stored_samples();
  const ModelCheck result = check();
  const Sums sums(result);
  EXPECT_GT(sums.points, 20);
  EXPECT_GT(sums.held_out, sums.points / 5);
  EXPECT_LT(sums.held_out, sums.points);
  EXPECT_EQ(sums.removed, 0);
  EXPECT_GT(static_cast<double>(sums.within), 0.88 * static_cast<double>(sums.runs));
  EXPECT_THAT(verdicts(result), Each(::testing::AnyOf(CheckVerdict::holds, CheckVerdict::too_few)));
  EXPECT_TRUE(result.complete);
  EXPECT_FALSE(result.noisy);
  EXPECT_EQ(stored_samples(), before);
}

TEST_F(ModelChecks, FindIntervalsThatAreTooNarrow) {
  machine_.sample();
  machine_.noise = 0.12;
  const ModelCheck result = check();
  EXPECT_THAT(verdicts(result), ::testing::Contains(CheckVerdict::narrow));
}

TEST_F(ModelChecks, ReplaceSamplesOfKernelsThatChanged) {
  machine_.sample();
  machine_.everything = 1.5;
  const ModelCheck result = check();
  EXPECT_THAT(verdicts(result), Each(::testing::AnyOf(CheckVerdict::replaced, CheckVerdict::too_few)));
  EXPECT_GT(Sums(result).removed, 20);
  EXPECT_GT(Sums(result).added, 20);
  for (const char* family : {"geqr2", "larft", "larfb"}) {
    EXPECT_LT(worst_error(family), 0.15) << family;
  }
  machine_.next_session(1);
  const ModelCheck again = check();
  EXPECT_EQ(Sums(again).removed, 0);
  EXPECT_GT(static_cast<double>(Sums(again).within), 0.88 * static_cast<double>(Sums(again).runs));
}

TEST_F(ModelChecks, LeaveKernelsThatDidNotChange) {
  machine_.sample();
  machine_.slowness["geqr2"] = 0.6;
  for (const KernelCheck& kernel : check().kernels) {
    EXPECT_EQ(kernel.removed, kernel.key.routine == "dgeqr2" ? kernel.samples : 0) << kernel.key.routine;
  }
  EXPECT_LT(worst_error("geqr2"), 0.15);
  EXPECT_LT(worst_error("larfb"), 0.15);
}

TEST_F(ModelChecks, ReplaceSingleSamples) {
  machine_.sample();
  const std::vector<tuning::KeptSegment> segments = tuning::kept_segments(machine_.store, machine_.environment);
  const auto kept = std::find_if(segments.begin(), segments.end(), [](const tuning::KeptSegment& segment) {
    return segment.trace.calls[segment.segment.begin].routine->family == "larfb";
  });
  ASSERT_NE(kept, segments.end());
  const auto sampled = sizes(kept->trace.calls[kept->segment.begin]);
  std::int64_t wrong = 0;
  for (const ModelKey& key : machine_.store.sampled_keys()) {
    for (model::StoredSample stored : machine_.store.stored_samples(key)) {
      if (key.routine == "dlarfb" && std::equal(sampled.begin(), sampled.end(), stored.sample.sizes.begin(), stored.sample.sizes.end())) {
        for (Repetition& repetition : stored.sample.repetitions) {
          repetition.seconds *= 2;
        }
        machine_.store.replace_samples(std::array{stored.id}, std::array{stored.sample});
        ++wrong;
      }
    }
  }
  ASSERT_GT(wrong, 0);
  const Sums sums(check());
  EXPECT_EQ(sums.removed, wrong);
  EXPECT_LT(worst_error("larfb"), 0.15);
}

TEST_F(ModelChecks, ExplainByTheStateWhatTheStateExplains) {
  machine_.sample();
  machine_.state.reference *= 1.4;
  machine_.everything = 1.27;
  const Sums sums(check());
  EXPECT_EQ(sums.removed, 0);
  EXPECT_GT(static_cast<double>(sums.within), 0.88 * static_cast<double>(sums.runs));
}

TEST_F(ModelChecks, ReplaceNothingOnANoisyMachine) {
  machine_.sample();
  const auto before = stored_samples();
  machine_.everything = 1.5;
  machine_.state.noise = 0.06;
  std::vector<std::string> told;
  context_.note = context_.noise = [&](const std::string& text) { told.push_back(text); };
  const ModelCheck result = check();
  EXPECT_THAT(told,
              ::testing::ElementsAre(HasSubstr("the times of equal work differed by up to 12 %"), HasSubstr("no sample was replaced")));
  EXPECT_TRUE(result.noisy);
  EXPECT_THAT(verdicts(result), ::testing::Contains(CheckVerdict::doubtful));
  EXPECT_EQ(stored_samples(), before);
}

TEST_F(ModelChecks, ReplaceNothingBesideAnotherProgram) {
  machine_.sample();
  machine_.everything = 1.5;
  ModelCheckServices services = machine_.services();
  services.busy_cores = [] { return 0.9; };
  const ModelCheck result = check_models({}, services, context_);
  EXPECT_TRUE(result.noisy);
  EXPECT_EQ(result.busy_cores, 0.9);
  EXPECT_EQ(Sums(result).removed, 0);
}

TEST_F(ModelChecks, MakeSureOfWhatTheFirstRunsSay) {
  machine_.sample();
  const ModelCheckRequest request{.time_budget = 0.2};
  machine_.at_run = [&] { machine_.everything = machine_.clock < 0.7 * request.time_budget ? 1.5 : 1; };
  const Sums sums(check(request));
  EXPECT_GT(sums.suspects, 0);
  EXPECT_EQ(sums.removed, 0);
}

TEST_F(ModelChecks, KeepToTheTimeBudget) {
  machine_.sample();
  for (const Seconds budget : {0.05, 0.2, 1.0}) {
    const ModelCheck result = check({.time_budget = budget});
    EXPECT_LE(result.seconds, 1.1 * budget);
    EXPECT_GT(Sums(result).runs, 0) << budget;
  }
}

TEST_F(ModelChecks, ShowWhatIsThereAfterACancellation) {
  machine_.sample();
  machine_.everything = 1.5;
  context_.cancelled = [this] { return machine_.clock > 0.05; };
  const ModelCheck result = check();
  EXPECT_FALSE(result.complete);
  EXPECT_LT(machine_.clock, 0.1);
  EXPECT_EQ(Sums(result).removed, 0);
}

TEST_F(ModelChecks, ChooseBySeed) {
  machine_.sample();
  const auto sizes_with = [this](std::uint64_t seed) {
    std::vector<std::vector<std::int64_t>> all;
    for (const KernelCheck& kernel : check({.time_budget = 0.1, .seed = seed}).kernels) {
      for (const CheckedPoint& point : kernel.points) {
        all.push_back(point.sizes);
      }
    }
    return all;
  };
  EXPECT_EQ(sizes_with(1), sizes_with(1));
  EXPECT_NE(sizes_with(1), sizes_with(2));
}

TEST_F(ModelChecks, CheckSomeRoutinesOnly) {
  machine_.sample();
  const ModelCheck result = check({.routines = {"dlarft"}});
  ASSERT_FALSE(result.kernels.empty());
  for (const KernelCheck& kernel : result.kernels) {
    EXPECT_EQ(kernel.key.routine, "dlarft");
  }
}

TEST_F(ModelChecks, SayWhyThereIsNothingToCheck) {
  EXPECT_THAT(error_of({}), HasSubstr("no samples for models on demand"));
  machine_.sample();
  EXPECT_THAT(error_of({.routines = {"dtrmm"}}), AllOf(HasSubstr("no samples of dtrmm"), HasSubstr("dlarfb")));
  EXPECT_THAT(error_of({.time_budget = 0}), HasSubstr("time budget"));
  EXPECT_THAT(error_of({.repetitions = 2}), HasSubstr("3 to 1000"));
  for (const std::string& name : artifact_names(machine_.store, model::artifact::sampled_segment)) {
    delete_artifact(machine_.store, model::artifact::sampled_segment, name);
  }
  EXPECT_THAT(error_of({}), HasSubstr("can be measured again"));
}

TEST_F(ModelChecks, ReadBackEqual) {
  machine_.sample();
  machine_.everything = 1.5;
  const ModelCheck result = check({.time_budget = 0.2});
  EXPECT_EQ(model_check_from_json(to_json(result)), result);
  EXPECT_EQ(tests::schema_violation(to_json(result), modelling_schemas()), "");
}

TEST(ModelCheckDocuments, WithAnyDamageAreReadOrRefused) {
  ModelCheck check;
  check.kernels.resize(1);
  check.kernels[0].key = {"dgemm", "NN", "11", "...", "placed", 1, "here"};
  check.kernels[0].points = {{{100, 100, 100}, {100, 100, 100}, true, 1e-3, {0.9e-3, 1.1e-3}, {1e-3, 1.2e-3}}};
  testing::expect_errors_of_mutations(to_json(check), "the check of models",
                                      [](const std::string& text) { static_cast<void>(model_check_from_json(text)); });
}

}  // namespace
}  // namespace flopcast
