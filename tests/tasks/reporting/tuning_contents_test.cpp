#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "flopcast/tasks/tuning/tuning.hpp"
#include "tests/tasks/reporting/contents.hpp"

namespace flopcast {
namespace {

using report::Trust;
using ::testing::AllOf;
using ::testing::HasSubstr;
using tests::contents;

tuning::Forecast forecast(std::int64_t nb, Seconds seconds, const std::string& variant = "") {
  return {variant, {nb, 2, 0}, seconds, {0.9 * seconds, 1.1 * seconds}, 0};
}

/// The default 32 takes twice as long as the chosen block size 64, with which 96 ties.
tuning::Decision decision(std::int64_t n, Seconds chosen) {
  tuning::Decision decision;
  decision.sizes = {n};
  decision.flops = 1e9;
  decision.default_ = forecast(32, 2 * chosen);
  decision.chosen = forecast(64, chosen);
  decision.forecasts = {decision.default_, decision.chosen, forecast(96, 1.01 * chosen)};
  decision.ties = {96};
  decision.gain = 1;
  decision.regret = 0.012;
  return decision;
}

Tuning tuning(std::vector<tuning::Decision> decisions) {
  Environment environment;
  environment.cpu = "a CPU";
  return {"dgeqrf", environment, {}, {}, {{"dgeqrf", "", {}, std::move(decisions), {}, true}}};
}

TEST(TuningContents, AnswerWithTheLargestGain) {
  const PageContents page = contents(tuning({decision(200, 1e-3), decision(400, 4e-3)}));
  EXPECT_THAT(page.question, HasSubstr("dgeqrf"));
  EXPECT_THAT(page.answer, AllOf(HasSubstr("up to 100.0 % faster"), HasSubstr("nb = 64 in place of 32"), HasSubstr("at most 1.2 %")));
  EXPECT_EQ(page.trust, Trust::unknown);
  ASSERT_EQ(page.steps.size(), 2U);
  EXPECT_EQ(page.steps[0].command, "flopcast tune dgeqrf n=200,400 --save");
  EXPECT_EQ(page.steps[1].command, "flopcast run -- COMMAND");
  tuning::Decision square = decision(200, 1e-3), tall = square;
  square.sizes = {200, 200};
  tall.sizes = {400, 200};
  EXPECT_EQ(contents(tuning({square})).steps.at(0).command, "flopcast tune dgeqrf n=200 --save");
  EXPECT_EQ(contents(tuning({square, tall})).steps.at(0).command, "flopcast tune dgeqrf m=200,400 n=200 --save");
  tuning::Decision other = tall;
  other.sizes = {300, 100};
  EXPECT_EQ(contents(tuning({square, other})).steps.at(0).command, "") << "no command tunes these two problems only";
}

TEST(TuningContents, CommandsKeepFlagsBlockSizesLibrariesAndThreads) {
  Tuning one = tuning({decision(200, 1e-3)});
  one.routine = one.parts[0].routine = "dpotrf";
  one.parts[0].flags = "L";
  one.options.nb = {16, 32};
  one.environment.blas.path = "/lib/libblis.so";
  one.environment.lapack = {.name = "openblas", .path = "/lib/a b.so"};
  one.environment.threads = 2;
  EXPECT_EQ(contents(one).steps.at(0).command,
            "flopcast tune dpotrf uplo=L n=200 --nb 16,32 --blas /lib/libblis.so --lapack '/lib/a b.so' --threads 2 --save");
  one.routine = "dposv";
  EXPECT_EQ(contents(one).steps.at(0).command, "") << "the routine below was tuned";
}

TEST(TuningContents, DrawTimesWithBandsTiesAndDefault) {
  const PageContents page = contents(tuning({decision(200, 1e-3), decision(400, 4e-3)}));
  const report::Figure& blocks = tests::figure(page);
  ASSERT_EQ(blocks.series.size(), 4U) << "a curve and the ties of each n";
  EXPECT_TRUE(blocks.series[0].band);
  EXPECT_EQ(blocks.series[0].x, (std::vector<double>{32, 64, 96}));
  EXPECT_NEAR(blocks.series[0].y[0], 2, 1e-12);
  EXPECT_NEAR(blocks.series[0].low[1], 0.9, 1e-12);
  EXPECT_EQ(blocks.series[1].x, (std::vector<double>{64, 96}));
  ASSERT_EQ(blocks.labels.size(), 1U) << "one for all problems";
  EXPECT_EQ(blocks.labels.at(0).text, "default");
  EXPECT_EQ(blocks.labels.at(0).x, 32);
  EXPECT_GT(blocks.labels.at(0).y, 2) << "above the line";
  const report::Figure& rates = tests::figure(page, 1);
  EXPECT_NEAR(rates.series.at(0).y.at(0), 500, 1e-9);
  EXPECT_NEAR(rates.series.at(1).y.at(0), 1000, 1e-9);
}

TEST(TuningContents, AreJudgedByTheRepeatabilityOfRuns) {
  tuning::Decision checked = decision(200, 1e-3);
  checked.validation = tuning::Check();
  checked.validation->repeatability = 0.01;
  EXPECT_EQ(contents(tuning({checked})).trust, Trust::quiet);
  checked.validation->repeatability = 0.2;
  EXPECT_EQ(contents(tuning({checked, decision(400, 1)})).trust, Trust::noisy);
}

TEST(TuningContents, SayThatNothingIsFaster) {
  tuning::Decision same = decision(200, 1e-3);
  same.gain = 0;
  const PageContents page = contents(tuning({same}));
  EXPECT_THAT(page.answer, HasSubstr("Keep LAPACK's default block size"));
  EXPECT_TRUE(page.steps.empty());
  EXPECT_EQ(contents(tuning({})).answer, "Nothing was decided.");
}

TEST(TuningContents, WarnOfSamplingThatEndedEarly) {
  Tuning early = tuning({decision(200, 1e-3)});
  early.parts[0].complete = false;
  EXPECT_THAT(contents(early).warnings, ::testing::ElementsAre(HasSubstr("time budget")));
}

TEST(LapackContents, NameTheRoutineThatGainsMost) {
  tuning::Decision less = decision(200, 1e-3);
  less.gain = 0.1;
  const PageContents page = contents(LapackTuning{
      {}, "p.json", {{"dpotrf", "L", "", 1, {less}}, {"dgeqrf", "", "", 1, {decision(200, 1)}}, {"dgerqf", "", "", 1, {}}}, {"dgelqf"}});
  EXPECT_THAT(page.answer, AllOf(HasSubstr("2 of 3 routines"), HasSubstr("dgeqrf the most")));
  EXPECT_EQ(tests::bars(page).bars.at(0).label, "dgeqrf");
  EXPECT_EQ(page.steps.at(0).command, "flopcast run --tuning p.json -- COMMAND");
  EXPECT_THAT(page.warnings, ::testing::ElementsAre(HasSubstr("dgelqf")));
}

TEST(RankingContents, NameTheFastestVariantOfEachProblem) {
  tuning::Decision decided = decision(300, 1e-3);
  decided.ranking = {{forecast(64, 1e-3, "3"), 1, 0, {}, {}, 0}, {forecast(48, 2e-3, "2"), 2, 1, {}, {}, 0}};
  Ranking ranking;
  ranking.family = "cholesky";
  ranking.routine = "dpotrf";
  ranking.places = {{"blis", 2, {}, {decided}, {}, true}};
  ranking.places[0].environment.threads = 2;
  ranking.joint = {{{300}, {{0, forecast(64, 1e-3, "3"), 0, false}, {0, forecast(48, 1e-3, "2"), 0, true}}, 0.02}};
  const PageContents page = contents(ranking);
  EXPECT_THAT(page.answer, AllOf(HasSubstr("3 (nb = 64, 1 tie with it) at n = 300"), HasSubstr("2.0 %")));
  ASSERT_EQ(tests::bars(page).bars.size(), 2U) << "one problem has no curve";
  EXPECT_EQ(tests::bars(page).bars[0].label, "3");
  EXPECT_EQ(tests::bars(page).bars[0].value, 1e-3);
  EXPECT_TRUE(tests::bars(page).bars[0].range.has_value());
  EXPECT_EQ(page.steps.at(0).command, "flopcast rank cholesky n=300 --threads 2 --validate");
  ranking.variants = {{"2", "left-looking: syrk, gemm, trsm", true}, {"3", "right-looking: trsm, syrk of what remains"}};
  const PageContents named = contents(ranking);
  EXPECT_EQ(tests::bars(named).bars.at(0).label, "3, right-looking");
  EXPECT_THAT(named.answer, HasSubstr("3, right-looking (nb = 64"));
  EXPECT_THAT(named.steps.at(1).text, HasSubstr("in the order of variant 3 with nb = 64: right-looking: trsm"));
  ranking.variants[1].scipy = "scipy.linalg.cholesky(a)";
  EXPECT_EQ(contents(ranking).steps.at(1).command, "scipy.linalg.cholesky(a)");
  ranking.places[0].decisions.push_back(decided);
  const report::Figure rates = tests::figure(contents(ranking));
  ASSERT_EQ(rates.series.size(), 2U);
  EXPECT_EQ(rates.series[0].title, "2, left-looking");
  EXPECT_EQ(rates.series[0].color, 1);
  EXPECT_EQ(rates.series[1].color, 2);
  EXPECT_NEAR(rates.series[0].y.at(0), 500, 1e-9);
}

}  // namespace
}  // namespace flopcast
