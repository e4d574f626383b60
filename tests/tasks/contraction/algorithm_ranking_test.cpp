#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "flopcast/support/error.hpp"
#include "flopcast/tasks/contraction/contraction_schemas.hpp"
#include "flopcast/tasks/contraction/contraction_tools.hpp"
#include "tests/schema_check.hpp"

namespace flopcast {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Optional;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAre;

contract::Contraction example() {
  return contract::make_contraction(contract::parse_notation("abc=ai,ibc"), {{'a', 40}, {'b', 40}, {'c', 40}, {'i', 8}});
}

std::vector<std::string> names_of(const std::vector<contract::Algorithm>& algorithms) {
  std::vector<std::string> names;
  for (const contract::Algorithm& algorithm : algorithms) {
    names.push_back(algorithm.name());
  }
  return names;
}

/// Ranks on a machine where a timed call takes as many seconds as its key's algorithm is told to.
class Ranking : public ::testing::Test {
 protected:
  Ranking() {
    request_.stage = contract::Stage::repeated;
    context_.note = [this](const std::string& text) { notes_.push_back(text); };
    CacheLevel level;
    level.capacity_bytes = 1 << 20;
    tools_.environment.caches = {level};
    tools_.measure = [this](std::span<const measure::Experiment> experiments) {
      std::vector<measure::Timings> all;
      for (const measure::Experiment& experiment : experiments) {
        measure::Timings timings;
        const Seconds seconds = call_seconds_ * flops(experiment.timed.front());
        timings.calls.assign(experiment.timed.size(), std::vector<Repetition>(10, Repetition{seconds, 1, 0, false}));
        all.push_back(timings);
      }
      return all;
    };
    tools_.core_frequency = [] { return 1e9; };
    tools_.execute = [this](std::span<const contract::Algorithm>, std::span<const Seconds> predicted) {
      std::vector<Seconds> measured(predicted.begin(), predicted.end());
      for (Seconds& seconds : measured) {
        seconds *= slowness_;
      }
      return measured;
    };
    tools_.now = [this] { return now_ += 1; };
  }

  AlgorithmRanking rank() {
    return rank_algorithms(tools_, example(), requested_algorithms(example(), request_, context_), request_, context_);
  }

  RankingTools tools_;
  RankAlgorithmsRequest request_;
  RunContext context_;
  std::vector<std::string> notes_;
  Seconds now_ = 0, call_seconds_ = 1e-9;
  double slowness_ = 2;
};

TEST_F(Ranking, TakesTheHighestBlasLevelUnlessToldOtherwise) {
  EXPECT_THAT(names_of(requested_algorithms(example(), request_, context_)), UnorderedElementsAre("b-gemm", "c-gemm"));
  EXPECT_THAT(notes_, ElementsAre(HasSubstr("those of BLAS level 3")));
  request_.all = true;
  EXPECT_GT(requested_algorithms(example(), request_, context_).size(), 10U);
  request_.all = false;
  request_.algorithm = "c-gemm";
  EXPECT_THAT(names_of(requested_algorithms(example(), request_, context_)), ElementsAre("c-gemm"));
  request_.kernels = {contract::Kernel::gemv};
  EXPECT_THROW(static_cast<void>(requested_algorithms(example(), request_, context_)), Error);
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
  EXPECT_THAT(notes_, ElementsAre(HasSubstr("left out")));
}

TEST_F(Ranking, IntervalsHoldMomentsAndSessionsAndARestlessMachineIsTold) {
  std::vector<std::string> told;
  context_.restless = [&](const std::string& text) { told.push_back(text); };
  const auto relative_width = [&] {
    const contract::Forecast forecast = rank().algorithms.front().forecast;
    return forecast.interval.high / forecast.seconds - 1;
  };
  EXPECT_NEAR(relative_width(), 1.96 * 0.09, 1e-4);
  EXPECT_THAT(told, SizeIs(0));
  tools_.session_deviation = [] { return 0.04; };
  tools_.tell_unrest = [](const RunContext& context) { context.tell_restless("others compute"); };
  EXPECT_NEAR(relative_width(), 1.96 * std::hypot(0.09, 0.04), 1e-4);
  EXPECT_THAT(told, ElementsAre("the machine was restless: others compute"));
}

TEST_F(Ranking, SaysWhatItCost) {
  const AlgorithmRanking ranking = rank();
  ASSERT_THAT(ranking.algorithms, SizeIs(2));
  EXPECT_EQ(ranking.cost_seconds, 1);
  EXPECT_GE(ranking.benchmarks, 1U);
  EXPECT_EQ(ranking.known, 0U);
  EXPECT_TRUE(ranking.algorithms.front().tie);
  EXPECT_LE(ranking.algorithms[0].forecast.seconds, ranking.algorithms[1].forecast.seconds);
  EXPECT_NEAR(ranking.algorithms[0].flops_per_cycle, 1 / (call_seconds_ * 1e9), 0.01) << "a call takes a nanosecond per flop";
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
  tools_.measure = [&cancelled](std::span<const measure::Experiment>) -> std::vector<measure::Timings> {
    cancelled = true;
    throw unusable_measurement("a kernel was not measured");
  };
  EXPECT_THROW(static_cast<void>(rank()), Cancelled);
}

TEST_F(Ranking, ReadsBackFromJson) {
  request_.validate = true;
  const AlgorithmRanking ranking = rank();
  EXPECT_EQ(algorithm_ranking_from_json(to_json(ranking)), ranking);
  EXPECT_EQ(tests::schema_violation(to_json(ranking), algorithms_schemas()), "");
  request_.validate = false;
  const AlgorithmRanking unvalidated = rank();
  EXPECT_EQ(algorithm_ranking_from_json(to_json(unvalidated)), unvalidated);
  EXPECT_EQ(tests::schema_violation(to_json(unvalidated), algorithms_schemas()), "");
}

TEST(AlgorithmDocuments, ListsReadBack) {
  const contract::Contraction scattered =
      contract::make_contraction(contract::parse_notation("abc=ija,jbic"), {{'a', 4}, {'b', 5}, {'c', 6}, {'i', 7}, {'j', 8}}, Precision::z,
                                 contract::Order::row_major);
  const AlgorithmList list{scattered, contract::generate(scattered)};
  EXPECT_EQ(algorithm_list_from_json(to_json(list)), list);
  EXPECT_EQ(tests::schema_violation(to_json(list), algorithms_schemas()), "");
  EXPECT_TRUE(std::any_of(list.algorithms.begin(), list.algorithms.end(), [](const auto& one) { return !one.copies.empty(); }));
}

TEST(AlgorithmDocuments, NameTheWrongMember) {
  const std::string text = to_json(AlgorithmList{example(), contract::generate(example())});
  const auto says = [&](const std::string& from, const std::string& to) {
    std::string damaged = text;
    damaged.replace(damaged.find(from), from.size(), to);
    try {
      static_cast<void>(algorithm_list_from_json(damaged));
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_THAT(says("abc=ai,ibc", "abc=ai"), HasSubstr("contraction"));
  EXPECT_THAT(says("\"precision\": \"d\"", "\"precision\": \"x\""), HasSubstr("precision"));
  EXPECT_THAT(says("\"kernel\": \"dot\"", "\"kernel\": \"trsm\""), HasSubstr("algorithms[0].kernel"));
  EXPECT_THAT(says("flopcast-contract-1", "flopcast-contract-9"), HasSubstr("schema"));
}

}  // namespace
}  // namespace flopcast
