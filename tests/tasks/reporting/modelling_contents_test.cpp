#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "flopcast/kernel/parse_call.hpp"
#include "flopcast/tasks/contraction/contraction.hpp"
#include "flopcast/tasks/modelling/model_check.hpp"
#include "flopcast/tasks/modelling/modelling.hpp"
#include "tests/roofline/fake_roofline.hpp"
#include "tests/tasks/modelling/model_example.hpp"
#include "tests/tasks/reporting/contents.hpp"

namespace flopcast {
namespace {

using report::Trust;
using ::testing::AllOf;
using ::testing::HasSubstr;
using tests::contents;

SampledCall sampled(std::int64_t n, Seconds seconds) {
  SampledCall one;
  one.call = kernel::expand_calls("dgemm", {"m=100", "n=" + std::to_string(n), "k=100"}).at(0);
  one.cache = "warm";
  one.sample.key = model_key(one.call, "warm", "x");
  one.sample.sizes = {100, n, 100};
  for (const double factor : {0.99, 1.0, 1.01}) {
    one.sample.repetitions.push_back({factor * seconds, 1, 0, false});
  }
  return one;
}

TEST(SampleContents, DrawTimeOverTheSizeThatVaries) {
  SampleResult result;
  result.samples = {sampled(100, 1e-3), sampled(200, 2e-3), sampled(300, 3e-3)};
  const PageContents page = contents(result);
  EXPECT_THAT(page.answer, AllOf(HasSubstr("3 calls were timed; dgemm transa=N"), HasSubstr("1.00 ms")));
  EXPECT_EQ(page.trust, Trust::quiet);
  const report::Figure& figure = tests::figure(page);
  ASSERT_EQ(figure.series.size(), 1U);
  EXPECT_EQ(figure.series[0].x, (std::vector<double>{100, 200, 300}));
  EXPECT_NEAR(figure.series[0].low[0], 0.99e-3, 1e-9);
  ASSERT_EQ(page.steps.size(), 2U);
  EXPECT_EQ(page.steps[0].command, "flopcast model build dgemm transa=N transb=N m=100 n=100:300 k=100 --cache warm");
  EXPECT_THAT(page.steps[1].command, HasSubstr("flopcast roofline --threads 1 --point 'dgemm transa=N transb=N m=100 n=100 k=100"));
  result.samples[0].sample.state.noise = 0.1;
  EXPECT_EQ(contents(result).trust, Trust::noisy);
  result.samples.resize(1);
  EXPECT_THAT(contents(result).steps.at(0).command, ::testing::EndsWith("--cache warm --cache cold"));
  result.samples.push_back(sampled(100, 1e-3));
  result.samples.back().cache = "cold";
  EXPECT_EQ(contents(result).steps.size(), 1U) << "both states of the caches were sampled";
  result.samples = {};
  EXPECT_EQ(contents(result).answer, "No call was timed.");
}

TEST(ModelContents, DrawTheModelOrSayWhyNot) {
  const PageContents page = contents(ModelBuild{example_model("dpotrf", "x"), false});
  EXPECT_THAT(page.answer, AllOf(HasSubstr("2 pieces"), HasSubstr("7.0 %")));
  EXPECT_EQ(page.pictures.size(), 1U);
  EXPECT_EQ(page.steps.at(0).command, "flopcast model check dpotrf");
  model::Model fixed = example_model("dpotrf", "x");
  fixed.domain = {{{8}, {8}}};
  fixed.pieces.resize(1);
  fixed.pieces[0].box = fixed.domain[0];
  const PageContents without = contents(ModelBuild{fixed, false});
  EXPECT_TRUE(without.pictures.empty());
  EXPECT_THAT(without.warnings, ::testing::ElementsAre(HasSubstr("can be drawn")));
}

TEST(CheckContents, CountRunsWithinTheirIntervals) {
  ModelCheck check;
  KernelCheck kernel;
  kernel.key = {"dgemm", "NN", "", ".", "placed", 1, "x"};
  kernel.points = {{{100}, {100}, false, 1, {0.9, 1.1}, {1}}};
  kernel.runs = 20;
  kernel.within = 19;
  kernel.verdict = CheckVerdict::holds;
  check.kernels = {kernel};
  EXPECT_EQ(contents(check).answer, "19 of 20 runs lie in their predicted intervals of 95 %.");
  EXPECT_EQ(contents(check).trust, Trust::quiet);
  EXPECT_TRUE(contents(check).steps.empty());
  check.kernels[0].verdict = CheckVerdict::doubtful;
  EXPECT_EQ(contents(check).steps.at(0).command, "flopcast model check dgemm");
  check.noisy = true;
  EXPECT_EQ(contents(check).trust, Trust::noisy);
}

TEST(RooflineContents, GiveTheRoofsAndTheFindings) {
  const roofline::Roofline roofs = roofline::fake_roofline();
  const PageContents page = contents(roofs);
  EXPECT_THAT(page.answer, AllOf(HasSubstr("With 2 threads"), HasSubstr("12.1 GB/s from memory")));
  EXPECT_EQ(page.trust, Trust::quiet);
  EXPECT_EQ(page.warnings, roofs.findings);
  EXPECT_FALSE(tests::figure(page).series.empty());
  EXPECT_EQ(page.steps.at(1).command, "flopcast roofline --threads 2 --recording flopcast.trace");
  roofline::Roofline without = roofs;
  without.bandwidth.clear();
  EXPECT_TRUE(contents(without).pictures.empty());
  EXPECT_THAT(contents(without).warnings.at(0), HasSubstr("weren't measured"));
}

TEST(ContractionContents, DrawStepsAndConsideredTiles) {
  ContractionResult result;
  result.expression = "ij,jk->ik";
  result.sizes = {{"i", 10}, {"j", 20}, {"k", 30}};
  result.plan.seconds = 2e-3;
  result.plan.considered = {{"64x64x64", 2e-3, "model"}, {"32x32x32", 3e-3, "model"}};
  result.steps.steps = {{"output := operand1 operand2", 1, 1e6, 1e5, 2e-3}};
  const PageContents page = contents(result);
  EXPECT_THAT(page.answer, AllOf(HasSubstr("2.00 ms"), HasSubstr("The chosen tiles: 64x64x64.")));
  EXPECT_EQ(page.steps.at(0).command, "flopcast contract 'ij,jk->ik' i=10 j=20 k=30 --run");
  EXPECT_TRUE(tests::bars(page, 1).bars.at(0).reference);
  result.times = {1e-3, 2e-3, 3e-3};
  EXPECT_THAT(contents(result).answer, HasSubstr("2.00 ms as measured"));
  EXPECT_TRUE(contents(result).steps.empty());
}

TEST(AlgorithmsContents, NameTheFastestAndTheCommandThatWritesIt) {
  AlgorithmRanking ranking;
  ranking.contraction = contract::make_contraction(contract::parse_notation("abc=ai,ibc"), {{'a', 4}, {'b', 5}, {'c', 6}, {'i', 7}},
                                                   Precision::z, contract::Order::row_major);
  for (const contract::Algorithm& algorithm : contract::generate(ranking.contraction)) {
    RankedAlgorithm& one = ranking.algorithms.emplace_back();
    one.algorithm = algorithm;
    one.forecast.seconds = 1e-3 * static_cast<double>(ranking.algorithms.size());
  }
  ranking.algorithms.resize(2);
  const PageContents page = contents(ranking);
  const std::string name = ranking.algorithms[0].algorithm.name();
  EXPECT_THAT(page.answer, AllOf(HasSubstr(name + " is predicted to be the fastest: 1.00 ms"), HasSubstr("All others are slower")));
  EXPECT_EQ(tests::bars(page).bars.at(0).label, name) << "the main picture shows what the answer says";
  EXPECT_THAT(page.steps.at(0).command, AllOf(HasSubstr("a=4 b=5 c=6 i=7 --precision z --order row_major"), HasSubstr(name)));
  ranking.algorithms[1].tie = true;
  EXPECT_THAT(contents(ranking).answer, HasSubstr("1 other algorithm can't be told from it"));
  ranking.contraction.tensors[0].strides.front() *= 10;
  EXPECT_TRUE(contents(ranking).steps.empty());
}

TEST(LayoutsContents, SayWhichTensorsToStoreOtherwise) {
  LayoutsResult result;
  result.tensors = {{"T", "ab", "ba", true, 800, 0}, {"V", "cd", "cd", false, 800, 0}};
  result.compared = {{"T=ba", 1, {}, 2, {1.5, 2.5}}, {"as written", 2, {}}};
  const PageContents page = contents(result);
  EXPECT_EQ(page.answer,
            "Store T as ba in place of ab: 1.00 s in place of 2.00 s, conversions included. The predicted speed-up is 2.00; its 95 % "
            "interval is 1.50 to 2.50.");
  result.compared.front().speed_up_interval = {0.66, 3.71};
  EXPECT_THAT(contents(result).answer, HasSubstr("0.66 to 3.71. It contains 1, so that the written orders may be as fast."));
  EXPECT_TRUE(tests::bars(page).bars.at(1).reference);
}

}  // namespace
}  // namespace flopcast
