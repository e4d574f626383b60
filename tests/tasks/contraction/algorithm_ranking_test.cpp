#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "flopcast/support/error.hpp"
#include "flopcast/tasks/contraction/contraction_services.hpp"
#include "tests/schema_check.hpp"
#include "tests/tasks/contraction/fake_ranking.hpp"

namespace flopcast {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Optional;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAre;

std::vector<std::string> names_of(const std::vector<contract::Algorithm>& algorithms) {
  std::vector<std::string> names;
  for (const contract::Algorithm& algorithm : algorithms) {
    names.push_back(algorithm.name());
  }
  return names;
}

TEST_F(Ranking, TakesTheHighestBlasLevelUnlessToldOtherwise) {
  EXPECT_THAT(names_of(requested_algorithms(ranked_contraction(), request_, context_)), UnorderedElementsAre("b-gemm", "c-gemm"));
  EXPECT_THAT(notes_, ElementsAre(HasSubstr("those of BLAS level 3")));
  request_.all = true;
  EXPECT_GT(requested_algorithms(ranked_contraction(), request_, context_).size(), 10U);
  request_.all = false;
  request_.algorithm = "c-gemm";
  EXPECT_THAT(names_of(requested_algorithms(ranked_contraction(), request_, context_)), ElementsAre("c-gemm"));
  request_.kernels = {contract::BlasKernel::gemv};
  EXPECT_THROW(static_cast<void>(requested_algorithms(ranked_contraction(), request_, context_)), Error);
  EXPECT_THAT(notes_, SizeIs(1));
}

TEST_F(Ranking, LeavesOutWhatBlasCannotExpress) {
  const contract::Contraction far =
      contract::make_contraction(contract::parse_notation("ab=ai,ib"), {{'a', 2}, {'b', 2}, {'i', 2}}, Precision::d,
                                 contract::Order::column_major, {std::vector<std::int64_t>{1, std::int64_t{1} << 33}, {}, {}});
  request_.all = true;
  const std::size_t left = requested_algorithms(far, request_, context_).size();
  EXPECT_GT(left, 0U);
  EXPECT_LT(left, contract::generate(far).size());
  EXPECT_THAT(notes_, ElementsAre(HasSubstr("skipped")));
}

TEST_F(Ranking, IntervalsHoldMomentsAndSessionsAndANoisyMachineIsTold) {
  std::vector<std::string> told;
  context_.noise = [&](const std::string& text) { told.push_back(text); };
  const auto relative_width = [&] {
    const contract::AlgorithmForecast forecast = rank().algorithms.front().forecast;
    return forecast.interval.high / forecast.seconds - 1;
  };
  EXPECT_NEAR(relative_width(), 1.96 * 0.09, 1e-4);
  EXPECT_THAT(told, SizeIs(0));
  services_.session_deviation = [] { return 0.04; };
  services_.tell_noise = [](const RunContext& context) { context.tell_noisy("others compute"); };
  EXPECT_NEAR(relative_width(), 1.96 * std::hypot(0.09, 0.04), 1e-4);
  EXPECT_THAT(told, ElementsAre("the machine was noisy: others compute"));
}

TEST_F(Ranking, SaysWhatItCost) {
  const AlgorithmRanking ranking = rank();
  ASSERT_THAT(ranking.algorithms, SizeIs(2));
  EXPECT_EQ(ranking.cost.seconds, 1);
  EXPECT_GE(ranking.cost.benchmarks, 1U);
  EXPECT_EQ(ranking.cost.known, 0U);
  EXPECT_TRUE(ranking.algorithms.front().tie);
  EXPECT_LE(ranking.algorithms[0].forecast.seconds, ranking.algorithms[1].forecast.seconds);
  EXPECT_NEAR(ranking.algorithms[0].flops_per_cycle, 1 / (call_seconds_ * 1e9), 0.01) << "a call takes a nanosecond per flop";
  EXPECT_EQ(ranking.algorithms[0].resident_bytes, 8 * (40 * 8 + 8 * 40 * 40 + 40 * 40 * 40)) << "three tensors, without copies";
  EXPECT_FALSE(ranking.mean_error || ranking.regret || ranking.algorithms[0].measured_seconds);
}

TEST_F(Ranking, ComparesWithExecutions) {
  request_.validate = true;
  const AlgorithmRanking ranking = rank();
  EXPECT_THAT(ranking.mean_error, Optional(DoubleNear(0.5, 1e-12))) << "executions take twice as long as predicted";
  EXPECT_THAT(ranking.regret, Optional(DoubleNear(0, 1e-12)));
  EXPECT_THAT(ranking.algorithms[0].measured_seconds, Optional(DoubleNear(2 * ranking.algorithms[0].forecast.seconds, 1e-12)));
}

TEST_F(Ranking, KnowsNoErrorWhereNothingWasExecuted) {
  request_.validate = true;
  slowness_ = std::nan("");
  const AlgorithmRanking ranking = rank();
  EXPECT_FALSE(ranking.mean_error || ranking.regret);
}

TEST_F(Ranking, ACancelledMeasurementIsNoFailure) {
  bool cancelled = false;
  context_.cancelled = [&cancelled] { return cancelled; };
  services_.measure = [&cancelled](std::span<const measure::Experiment>) -> std::vector<measure::Timings> {
    cancelled = true;
    throw unusable_measurement("a kernel was not measured");
  };
  EXPECT_THROW(static_cast<void>(rank()), Cancelled);
}

}  // namespace
}  // namespace flopcast
