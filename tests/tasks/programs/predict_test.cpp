#include "flopcast/tasks/programs/predict.hpp"

#include <gmock/gmock.h>

#include <string>

#include "flopcast/support/error.hpp"
#include "flopcast/tasks/programs/subject_prediction.hpp"
#include "tests/kernel/plain_call.hpp"
#include "tests/tasks/programs/fake_what_if.hpp"

namespace flopcast::tests {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// Predicts traces of dpotrf, whose time is their order.
class PredictSubjects : public testing::Test {
 protected:
  PredictSubjects() {
    environment_.fingerprint = "here";
    environment_.caches = {{.name = "L1", .capacity_bytes = 32768}};
    services_.on_demand = [this](std::vector<tuning::Subject>& traces) -> const prediction::KernelModels& {
      sampled_ += traces.size();
      return models_;
    };
    services_.find_model = [](const ModelKey&) { return std::nullopt; };
    context_.note = [this](const std::string& text) { notes_.push_back(text); };
  }

  static PredictionSubject subject(std::int64_t n, std::vector<Seconds> pauses = {}) {
    PredictionSubject subject{std::to_string(n), "-", 1, {}, std::move(pauses)};
    subject.trace.configuration.algorithm = "dpotrf";
    subject.trace.calls = {kernel::call("dpotrf", {'L', n, 0x100000, n})};
    return subject;
  }

  Environment environment_;
  SpeedModels models_{1};
  PredictionServices services_{environment_, {.blas = "blis"}, {}, {}};
  std::size_t sampled_ = 0;
  RunContext context_;
  std::vector<std::string> notes_;
};

TEST_F(PredictSubjects, AddsUpTheCalls) {
  const std::vector<Prediction> all = predict_subjects({subject(8), subject(16)}, {}, services_, context_);
  ASSERT_EQ(all.size(), 2U);
  EXPECT_DOUBLE_EQ(all[1].seconds, 16);
  EXPECT_EQ(all[1].kernels.size(), 1U);
  EXPECT_FALSE(all[1].calls);
  EXPECT_EQ(sampled_, 2U);
  EXPECT_THAT(notes_, IsEmpty());
}

TEST_F(PredictSubjects, MemoryOfARoutineIsThatOfItsAllocations) {
  PredictionSubject routine = subject(8);
  EXPECT_EQ(predict_subjects({routine}, {}, services_, context_)[0].resident_bytes, 0);
  routine.trace.allocations = {{"A", virtual_base(0), 8 * 8 * 8}, {"work", virtual_base(1), 100}};
  EXPECT_EQ(predict_subjects({routine}, {}, services_, context_)[0].resident_bytes, 612);
  routine.pauses = {0};
  EXPECT_EQ(predict_subjects({routine}, {}, services_, context_)[0].resident_bytes, std::nullopt) << "a thread shares its program's memory";
}

TEST_F(PredictSubjects, GivesSingleCallsOnRequest) {
  const std::vector<Prediction> all = predict_subjects({subject(8)}, {.with_calls = true}, services_, context_);
  ASSERT_TRUE(all[0].calls);
  EXPECT_EQ(all[0].calls->at(0).routine, "dpotrf");
  EXPECT_THAT(all[0].calls->at(0).sizes, ElementsAre(8));
  EXPECT_DOUBLE_EQ(all[0].calls->at(0).seconds, 8);
}

TEST_F(PredictSubjects, ThreadsShareTheCores) {
  const std::vector<Prediction> all = predict_subjects({subject(8, {0}), subject(8, {0})}, {}, services_, context_);
  EXPECT_DOUBLE_EQ(all[0].seconds, 16);
  EXPECT_THAT(notes_, ElementsAre(HasSubstr("threads wait for the same 1 CPUs")));
}

TEST_F(PredictSubjects, NamesTheCommandThatBuildsAMissingModel) {
  try {
    predict_subjects({subject(8), subject(16)}, {.method = prediction::Method::warm}, services_, context_);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::bad_input);
    EXPECT_THAT(error.what(),
                AllOf(HasSubstr("needs 1 model that"), HasSubstr("flopcast model build dpotrf uplo=L n=8:16 --cache warm --blas blis")));
  }
  EXPECT_EQ(sampled_, 0U);
  try {
    predict_subjects({subject(8), subject(16)}, {.method = prediction::Method::levels, .generator = "levels"}, services_, context_);
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("--cache cold --method levels --blas blis"));  // models of another method would be missed again
  }
}

TEST_F(PredictSubjects, NotesWhatWasExtrapolated) {
  const std::vector<Prediction> all = predict_subjects({subject(8), subject(200)}, {}, services_, context_);
  note_extrapolation(all, "; sample more", context_);
  EXPECT_THAT(notes_, ElementsAre(AllOf(HasSubstr("100.0 %"), HasSubstr("; sample more"))));
}

}  // namespace
}  // namespace flopcast::tests
