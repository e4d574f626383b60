#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "flopcast/support/run_context.hpp"
#include "flopcast/tasks/programs/advice.hpp"
#include "flopcast/tasks/programs/predict.hpp"
#include "flopcast/tasks/programs/programs.hpp"
#include "tests/message_of.hpp"
#include "tests/tasks/reporting/contents.hpp"

namespace flopcast {
namespace {

using report::Trust;
using ::testing::AllOf;
using ::testing::HasSubstr;
using tests::contents;

CallTotals totals(std::int64_t calls, Seconds seconds) {
  CallTotals totals;
  totals.calls = calls;
  totals.seconds = seconds;
  return totals;
}

ProgramProfile profile() {
  ProgramProfile profile;
  profile.command = {"a.out", "x y"};
  profile.seconds = 5;
  profile.recorded = {"blis", "reference", "a CPU", 2, "haswell"};
  profile.all = totals(7, 4);
  profile.routines = {{totals(5, 3), "dgemm", true}, {totals(2, 1), "dtrsm", true}};
  profile.shapes = {{totals(5, 3), "dgemm", "NT", false, {{"m", 1, 2}, {"n", 3, 3}}, 1}};
  profile.threads = {{totals(7, 4), 1, 17, "dgemm"}};
  profile.timeline = ProgramProfile::Timeline{0.5, 4.5, {"dgemm", "others"}, {{17, {"0 100 50", "100 0 25"}}}};
  return profile;
}

WhatIfResult answer(const std::string& question, Seconds predicted) {
  WhatIfResult result;
  result.question = parse_what_if(question);
  result.recorded = 4;
  result.predicted = predicted;
  result.interval = {0.9 * predicted, 1.1 * predicted};
  result.gain = 4 / predicted - 1;
  return result;
}

TEST(ProfileContents, TellWhereTheTimeWent) {
  const PageContents page = contents(profile());
  EXPECT_THAT(page.question, HasSubstr("a.out 'x y'"));
  EXPECT_THAT(page.answer, AllOf(HasSubstr("7 calls"), HasSubstr("4.00 s in a run of 5.00 s"), HasSubstr("dgemm (75.0 %)")));
  EXPECT_EQ(page.steps.at(0).command, "flopcast doctor -- a.out 'x y'");
  ASSERT_EQ(page.pictures.size(), 3U) << "routines, shapes, when";
  EXPECT_EQ(tests::bars(page).bars.at(0).value, 3);
  EXPECT_EQ(tests::bars(page, 1).bars.at(0).label, "dgemm NT m=1..2 n=3");
  const report::Strips& when = tests::strips(page, 2);
  EXPECT_EQ(when.strips.at(0).label, "thread 17");
  EXPECT_EQ(when.strips[0].bins, (std::vector<std::vector<double>>{{0, 1}, {1, 0}, {0.5, 0.25}}));
  EXPECT_EQ(when.end, 4.5);
}

TEST(ProfileContents, ApplyTheBestAnswer) {
  ProgramProfile asked = profile();
  WhatIfResult failure = answer("threads=2", 1);
  failure.failure = "one thread only";
  asked.what_if = {answer("same", 1), answer("blas=blis,threads=auto", 2), answer("kernels=auto", 3), failure};
  const PageContents page = contents(asked);
  EXPECT_THAT(page.answer, AllOf(HasSubstr("blas=blis"), HasSubstr("certainly 100.0 % faster")));
  EXPECT_EQ(page.steps.at(0).command, "flopcast run --blas blis --threads auto -- a.out 'x y'");
  const report::BarChart& chart = tests::bars(page);
  ASSERT_EQ(chart.bars.size(), 4U) << "recorded, and three predictions";
  EXPECT_TRUE(chart.bars[0].reference);
  EXPECT_NEAR(chart.bars[2].range->high, 2.2, 1e-12);
  asked.what_if = {answer("kernels=auto", 3.999)};
  EXPECT_THAT(contents(asked).answer, HasSubstr("None of the asked changes")) << "a gain of 0.0 %";
  asked.what_if = {answer("kernels=auto", 5)};
  EXPECT_THAT(contents(asked).answer, HasSubstr("None of the asked changes"));
}

TEST(ProfileContents, RepeatWarningsAndNoise) {
  ProgramProfile noisy = profile();
  noisy.warnings = {std::string(noisy_machine) + "another program"};
  EXPECT_EQ(contents(noisy).trust, Trust::noisy);
  EXPECT_EQ(contents(noisy).warnings, noisy.warnings);
  EXPECT_EQ(contents(profile()).trust, Trust::unknown);
}

TEST(ProfileContents, RefuseADamagedTimeline) {
  ProgramProfile damaged = profile();
  for (const char* shares : {"x", "101", "-1 2", "1  2"}) {
    damaged.timeline->threads[0].shares[0] = shares;
    EXPECT_THAT(tests::bad_input_of([&] { contents(damaged); }), HasSubstr("timeline is damaged")) << shares;
  }
}

TEST(ProfileContents, OfAProgramWithoutCallsHaveNoPicture) {
  const PageContents page = contents(ProgramProfile());
  EXPECT_THAT(page.answer, HasSubstr("no calls"));
  EXPECT_TRUE(page.pictures.empty());
}

TEST(DiagnosisContents, PutRemediesFirst) {
  ProgramDiagnosis diagnosis;
  diagnosis.command = {"a.out"};
  diagnosis.seconds = 10;
  diagnosis.findings = {{FindingCause::reference_blas, "the BLAS is slow", "3 s", "flopcast run --blas blis -- a.out", 3, {1, 2}},
                        {FindingCause::denormals, "numbers are tiny", "1 s", "scale the matrix", 1, {0, 1}}};
  const PageContents page = contents(diagnosis);
  EXPECT_THAT(page.answer, AllOf(HasSubstr("The BLAS is slow"), HasSubstr("1.00 s to 2.00 s")));
  ASSERT_EQ(page.steps.size(), 2U);
  EXPECT_EQ(page.steps[0].command, "flopcast run --blas blis -- a.out");
  EXPECT_EQ(page.steps[1].text, "Scale the matrix.");
  EXPECT_EQ(tests::bars(page).bars.at(0).value, 1.5);
  EXPECT_THAT(contents(ProgramDiagnosis()).answer, HasSubstr("Nothing was found"));
}

TEST(PredictionContents, DrawTimesAndKernels) {
  Predictions predictions;
  Prediction one;
  one.algorithm = "dgeqrf";
  one.sizes = "1000";
  one.blocks = "64";
  one.seconds = 2;
  one.interval = {1.8, 2.2};
  one.extrapolated_share = 0.3;
  one.kernels = {{{"dgemm", "NN", "", ".", "placed", 1, "x"}, 3, 1e9, 1.5, 0.1, 0}};
  predictions.predictions = {one};
  const PageContents page = contents(predictions);
  EXPECT_EQ(page.answer, "dgeqrf 1000, nb 64 takes 2.00 s (1.80 s to 2.20 s), with an interval of 95 %.");
  EXPECT_EQ(tests::bars(page, 1).bars.at(0).value, 1.5);
  EXPECT_THAT(page.warnings, ::testing::ElementsAre(HasSubstr("30.0 %")));
  EXPECT_TRUE(page.steps.empty()) << "the sizes aren't known";
  one.algorithm = "dormqr:LN";
  one.parameters = {{"m", 60}, {"n", 40}, {"k", 30}, {"nb", 16}, {"lda", 60}};
  predictions.predictions = {one, one};
  EXPECT_EQ(contents(predictions).steps.at(0).command, "flopcast tune dormqr side=L trans=N m=60 n=40 k=30");
  predictions.predictions[0].is_thread = true;
  EXPECT_EQ(contents(predictions).steps.at(0).command, "flopcast profile TRACE");
}

}  // namespace
}  // namespace flopcast
